"""Prompts of retrieval-augmented dialogue: a question is rewritten so that it can be searched, and answered from passages.

Columns: `dialogue` (lines `Q: …` and `A: …`, oldest first), `question`, and for answers `passages` (lines `[1] title: text`).
A rewriting ends at the line end. With reasoning it is `Yes => THOUGHT: … => OUTPUT QUESTION: …`, or `No => …` with the
question as it was; `cot_output` takes the question out of it.
"""

# One example of each case: a pronoun, none needed, two things, something left out, a year, nothing to put in its place.
rewriting_examples_en = (
    'HISTORY:\n'
    '[Q: What is the Okunfall?\n'
    'A: A waterfall in the Harle woods.\n'
    'Q: Can one swim there?\n'
    'A: Yes, in August.]\n'
    'NOW QUESTION: How tall is it in spring?\n'
    "NEED COREFERENCE RESOLUTION: Yes => THOUGHT: 'it' stands for 'the Okunfall'. => OUTPUT QUESTION: How tall is the Okunfall in spring?\n"
    'HISTORY:\n'
    '[Q: Who owns the Belcade theatre?\n'
    'A: The council.]\n'
    'NOW QUESTION: Which painter restored the Emmerlin palace?\n'
    'NEED COREFERENCE RESOLUTION: No => THOUGHT: The question is clear by itself. => OUTPUT QUESTION: Which painter restored the Emmerlin palace?\n'
    'HISTORY:\n'
    '[Q: Do you know the Sunder mine and the Hollis mine?\n'
    'A: Yes, both.]\n'
    'NOW QUESTION: Why was the latter closed?\n'
    "NEED COREFERENCE RESOLUTION: Yes => THOUGHT: 'the latter' stands for 'the Hollis mine'. => OUTPUT QUESTION: Why was the Hollis mine closed?\n"
    'HISTORY:\n'
    '[Q: Where was the ferry Ulmina built?\n'
    'A: In Grosk.]\n'
    'NOW QUESTION: What about the ferry Perrin?\n'
    "NEED COREFERENCE RESOLUTION: Yes => THOUGHT: 'the ferry Perrin' takes the place of 'the ferry Ulmina' in the last question. => OUTPUT QUESTION: Where was the ferry Perrin built?\n"
    'HISTORY:\n'
    '[Q: When was the Ostervik zoo enlarged?\n'
    'A: In 1908.]\n'
    'NOW QUESTION: Who directed it that year?\n'
    "NEED COREFERENCE RESOLUTION: Yes => THOUGHT: 'it' stands for 'the Ostervik zoo'; 'that year' stands for 'in 1908'. => OUTPUT QUESTION: Who directed the Ostervik zoo in 1908?\n"
)
rewriting_examples_zh = (
    'HISTORY:\n'
    '[Q: 霞飞瀑布是什么？\n'
    'A: 霞飞瀑布在黑松林里。\n'
    'Q: 那里可以游泳吗？\n'
    'A: 八月可以。]\n'
    'NOW QUESTION: 它春天有多高？\n'
    'NEED COREFERENCE RESOLUTION: Yes => THOUGHT: “它”指“霞飞瀑布”。 => OUTPUT QUESTION: 霞飞瀑布春天有多高？\n'
    'HISTORY:\n'
    '[Q: 贝岭剧院归谁所有？\n'
    'A: 归议会。]\n'
    'NOW QUESTION: 哪位画家修复了恩林宫殿？\n'
    'NEED COREFERENCE RESOLUTION: No => THOUGHT: 问题本身是清楚的。 => OUTPUT QUESTION: 哪位画家修复了恩林宫殿？\n'
    'HISTORY:\n'
    '[Q: 你知道双德矿山和何里矿山吗？\n'
    'A: 都知道。]\n'
    'NOW QUESTION: 后者为什么关闭？\n'
    'NEED COREFERENCE RESOLUTION: Yes => THOUGHT: “后者”指“何里矿山”。 => OUTPUT QUESTION: 何里矿山为什么关闭？\n'
    'HISTORY:\n'
    '[Q: 乌明号渡船是在哪里建造的？\n'
    'A: 在高斯港。]\n'
    'NOW QUESTION: 换成佩林号渡船呢？\n'
    'NEED COREFERENCE RESOLUTION: Yes => THOUGHT: “佩林号渡船”代替上一个问题里的“乌明号渡船”。 => OUTPUT QUESTION: 佩林号渡船是在哪里建造的？\n'
    'HISTORY:\n'
    '[Q: 奥维动物园是哪一年扩建的？\n'
    'A: 1908年。]\n'
    'NOW QUESTION: 当年它的经理是谁？\n'
    'NEED COREFERENCE RESOLUTION: Yes => THOUGHT: “它的”指“奥维动物园的”；“当年”指“1908年”。 => OUTPUT QUESTION: 1908年奥维动物园的经理是谁？\n'
)

# What is asked, without examples and behind them.
rewriting_direct = 'HISTORY:\n[{dialogue}]\nNOW QUESTION: {question}\nNEED COREFERENCE RESOLUTION: '
rewriting_prompt_en = rewriting_examples_en + rewriting_direct
rewriting_prompt_zh = rewriting_examples_zh + rewriting_direct

# The rival: the same wish in a sentence, without examples and without reasoning. What is written is the question.
plain_prompt_en = (
    'DIALOGUE:\n{dialogue}\nQUESTION: {question}\n'
    'Rewrite the question so that it can be understood without the dialogue.\nREWRITTEN QUESTION: '
)
plain_prompt_zh = 'DIALOGUE:\n{dialogue}\nQUESTION: {question}\n请改写问题，使它不看对话也能明白。\nREWRITTEN QUESTION: '

# An answer in a few words, read off the passages; `unknown` or `不知道` where they do not say.
answer_prompt = 'PASSAGES:\n{passages}\nQUESTION: {question}\nANSWER: '
