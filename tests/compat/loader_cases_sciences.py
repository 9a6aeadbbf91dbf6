"""Sciences, instructions, medicine, languages."""

import json

from loader_case import Cases, lines, listed, repository

CASES = Cases()
add = CASES.add


def both(class_name, entry, name, one, other, read, form=listed, split=None, broken=None, **more):
    """Two files of rows, one that lacks what the class needs, and none."""
    add(class_name, entry, {name: form(*one)}, read, split, **more)
    add(class_name, entry, {name: form(*other)}, read, split, **more)
    if broken is not None:
        add(class_name, entry, {name: form(broken)}, read, split, fails=True, **more)
    add(class_name, entry, {}, read, split, fails=True, **more)


BENCH = [
    {"problem_text": " How far does the stone fall? \n", "answer_number": " 4.9 ", "unit": "m"},
    {"problem_text": "é\u3000", "answer_number": "-1", "solution": "x"},
]
both("scibench.ScibenchDataset", {"path": "./data/scibench", "name": "made"}, "data/scibench/made.json", BENCH, BENCH[1:], ["question", "answer"], broken={"problem_text": 3, "answer_number": "1"})
MATERIAL = [{"problem": "Is MgX2 a metal?", "answer": True, "more": 1}, {"problem": "And 中?", "answer": False}]
both("matbench.matbench.MatbenchDataset", {"path": "opencompass/Matbench", "task": "made"}, "data/Matbench/matbench_base_fold_0_made_test.json", MATERIAL, [{"problem": "p", "answer": 1}, {"problem": "q", "answer": 2.5}], ["problem", "answer"], broken={"problem": "x"})
PHY = [{"content": "A ball rolls.", "answer": "$v^2$", "id": 1}, {"content": "A disc spins.", "answer": "2"}]
both("phybench.phybench.PhyBenchDataset", {"path": "opencompass/PHYBench"}, "data/phybench/PHYBench-fullques_v1.json", PHY, PHY[1:], ["input", "target"], broken={"content": "x"})
both("kcle.KCLEDataset", {"path": "opencompass/kcle", "extra": 1}, "data/kcle_diamond.jsonl", [{"input": "a", "target": "b", "c": 1}, {"input": "é", "target": "中"}], [{"target": "b", "input": "a"}], ["input", "target"], lines, broken={"input": "a"})
PAIR = [{"id_ddm": "7", "dialogs": [{"role": "user", "content": "What reacts?"}, {"role": "assistant", "content": "salt"}]}, {"id_ddm": "8", "dialogs": [{"content": "q"}, {"content": "a"}, {"content": "b"}]}]
both("mol_instructions_chem.MolInstructionsDataset", {"path": "opencompass/mol-instructions", "name": "made.jsonl"}, "data/mol-instructions/made.jsonl", PAIR, PAIR[1:], ["input", "output"], lines, broken={"id_ddm": "7", "dialogs": [{"content": "q"}]})
add("mp20.mp20.MP20Dataset", {"path": "opencompass/mp20"}, {"data/mp20/mp20_test.jsonl": "\n" + lines({"id_ddm": 1, "system_prompt": "s", "user_input": "u", "ground_truth": {"b": 1, "a": [1.5]}, "x": 2}) + "  \n"}, ["system_prompt", "user_input", "ground_truth"])
add("mp20.mp20.MP20Dataset", {"path": "opencompass/mp20"}, {"data/mp20/mp20_test.jsonl": lines({"id_ddm": 1})}, ["system_prompt", "ground_truth"], fails=True)
add("moleculariq.moleculariq.MoleculariqDataset", {"path": "opencompass/MolecularIQ", "name": "count"}, {"data/MolecularIQ/test_task/count.jsonl": lines({"uid": "a", "question": "How many rings?", "target": {"rings": 2}}, {"uid": "b", "question": "?", "target": {"rings": 0, "bonds": 3}})}, ["prompt", "ground_truth"])
add("moleculariq.moleculariq.MoleculariqDataset", {"path": "opencompass/MolecularIQ", "name": "draw.jsonl"}, {"data/MolecularIQ/test_task/draw.jsonl": "\n" + lines({"uid": "a", "question": "Draw.", "target": None, "constraints": [{"rings": 2}]}) + "\n"}, ["prompt", "ground_truth"])
add("moleculariq.moleculariq.MoleculariqDataset", {"path": "opencompass/MolecularIQ", "name": "draw"}, {"data/MolecularIQ/test_task/draw.jsonl": lines({"uid": "a"})}, ["prompt", "ground_truth"], fails=True)

OLYMPIAD = [
    {"id": 3, "question": "Find $x$.", "final_answer": ["2", "3"], "language": "English", "subject": "Maths", "question_type": "Open", "answer_type": "Numerical", "is_multiple_answer": True, "unit": None, "error": None, "modality": "Text", "context": None},
    {"id": 4, "question": "求 y", "final_answer": ["$y=1$"], "language": "Chinese", "subject": "Maths", "question_type": "Open", "answer_type": "Expression", "is_multiple_answer": False, "unit": "m", "error": "0.1", "modality": "Text", "context": "c"},
]
both("OlympiadBench.OlympiadBenchDataset", {"path": "opencompass/OlympiadBench", "name": "OE_made"}, "data/OlympiadBench/OE_made.json", OLYMPIAD, OLYMPIAD[1:], ["problem", "solution"], broken={**OLYMPIAD[0], "final_answer": []})
STEM = [{"question": f"Question {number}?", "answer": str(number), "options": ["A. one", "B. two"][: number % 3]} for number in range(12)]
for more in ({}, {"num_examples": 5}, {"n_repeats": 2}):
    add("livestembench.LiveStemBenchDataset", {"path": "opencompass/livestembench", "version": "made", "mode": "singlescore", **more}, {"data/livestembench/made.json": listed(*STEM)}, ["question", "answer"])
    add("livereasonbench.livereasonbench.LiveReasonBenchDataset", {"path": "opencompass/LiveReasonBench", "version": "made", **more}, {"data/LiveReasonBench/made.json": listed(*STEM)}, ["question", "answer"])
for class_name, path, folder in (("livestembench.LiveStemBenchDataset", "opencompass/livestembench", "livestembench"), ("livereasonbench.livereasonbench.LiveReasonBenchDataset", "opencompass/LiveReasonBench", "LiveReasonBench")):
    add(class_name, {"path": path, "version": "made", "num_examples": 40}, {f"data/{folder}/made.json": listed(*STEM)}, ["question", "answer"], fails=True)
    add(class_name, {"path": path}, {f"data/{folder}/made.json": listed(*STEM)}, ["question", "answer"], fails=True)
EESE = lines({"problem": "p", "question_type": "mc", "final_answer": "A"}) + "\n" + lines({"problem": "q", "final_answer": "B"})
add("eese.eese.EESEDataset", {"path": "opencompass/eese", "file_name": "made.jsonl", "mode": "x"}, {"data/eese/test/made.jsonl": EESE}, ["problem", "final_answer"])
add("eese.eese.EESEDataset", {"path": "opencompass/eese"}, {"data/eese/test/EESE.jsonl": EESE}, ["problem", "final_answer"])
add("eese.eese.EESEDataset", {"path": "opencompass/eese"}, {"data/eese/test/EESE.jsonl": "{\n"}, ["problem", "final_answer"], fails=True)
for rows in ([{"Question": "Is it warm?", "Options": "a) yes\nb) no", "Answer": "a"}, {"Question": "Why?", "Options": None, "Answer": "sun"}], [{"Level": 1, "Question": "Is it?", "Answer": "b"}]):
    add("climaqa.ClimaQADataset", {"path": "opencompass/ClimaQA-Gold", "task": "mcq"}, {"data/climaqa_gold/mcq/train.jsonl": lines(*rows)}, ["input", "target"])
add("climaqa.ClimaQADataset", {"path": "opencompass/ClimaQA-Gold", "task": "mcq"}, {"data/climaqa_gold/mcq/train.jsonl": lines({"Question": "x"})}, ["input", "target"], fails=True)
for rows in ([{"id": "a", "questions": "How fast?", "final_answers": ["3", "$x$"]}, {"id": "b", "questions": "?", "final_answers": []}], [{"questions": "?", "final_answers": ["é"], "z": 1}]):
    add("physics.PHYSICSDataset", {"path": "opencompass/PHYSICS-textonly", "name": "made"}, {"data/PHYSICS-textonly/made/rows.jsonl": lines(*rows)}, ["input", "target"])
add("physics.PHYSICSDataset", {"path": "opencompass/PHYSICS-textonly", "name": "made"}, {"data/PHYSICS-textonly/made/rows.jsonl": lines({"questions": "x"})}, ["input", "target"], fails=True)
add("beyondaime.BeyondAIMEDataset", {"path": "ByteDance-Seed/BeyondAIME"}, repository("ByteDance-Seed/BeyondAIME", default={"test": [{"problem": "p", "answer": 3}, {"problem": "q", "answer": 5}]}), ["question", "answer"])
add("beyondaime.BeyondAIMEDataset", {"path": "ByteDance-Seed/BeyondAIME"}, repository("ByteDance-Seed/BeyondAIME", default={"test": [{"answer": 1, "problem": "z", "id": 0}]}), ["question", "answer"])
add("beyondaime.BeyondAIMEDataset", {"path": "ByteDance-Seed/BeyondAIME"}, repository("ByteDance-Seed/BeyondAIME", default={"test": [{"answer": 1}]}), ["question", "answer"], fails=True)
PHYS = [{"question": "Find E.", "final_answer": ["$E$", "x"], "topic": "T"}, {"question": "None.", "final_answer": [], "topic": "U"}, {"question": "F?", "final_answer": ["2"], "topic": "V"}]
for rows in (PHYS, PHYS[2:]):
    add("cmphysbench.cmphysbench.CMPhysBenchDataset", {"path": "weidawang/CMPhysBench"}, repository("weidawang/CMPhysBench", default={"train": rows}), ["prompt", "ground_truth"])
add("cmphysbench.cmphysbench.CMPhysBenchDataset", {"path": "weidawang/CMPhysBench"}, repository("weidawang/CMPhysBench", default={"train": [{"question": "x", "final_answer": ["y"]}]}), ["prompt", "ground_truth"], fails=True)
HLE = [{"id": "1", "question": "Which?", "image": "", "answer": "A", "category": "Math"}, {"id": "2", "question": "See.", "image": "data:x", "answer": "B", "category": "Math"}, {"id": "3", "question": "Who?", "image": "", "answer": "C", "category": "Biology/Medicine"}]
for more in ({}, {"category": "Math"}, {"category": "Biology/Medicine"}):
    add("hle.HLEDataset", {"path": "cais/hle", **more}, repository("cais/hle", default={"test": HLE}), ["problem", "answer"])
add("hle.HLEDataset", {"path": "cais/hle"}, repository("cais/hle", default={"test": [{"question": "x"}]}), ["problem", "answer"], fails=True)
for rows in ([{"question": "q", "answer": "A. x"}], [{"question": "r", "answer": "B", "more": [1, 2]}, {"question": "s", "answer": "C", "more": []}]):
    add("Earth_Silver.Earth_Silver_MCQDataset", {"path": "ai-earth/Earth-Silver", "prompt_mode": "zero-shot"}, repository("ai-earth/Earth-Silver", default={"multiple_choice": rows}), ["question", "answer"])
add("Earth_Silver.Earth_Silver_MCQDataset", {"path": "ai-earth/Earth-Silver", "prompt_mode": "few-shot"}, repository("ai-earth/Earth-Silver", default={"multiple_choice": [{"question": "q", "answer": "A"}]}), ["question", "answer"], fails=True)
for rows in ([{"problem": "p", "answer": "1", "difficulty": 5.5}], [{"problem": "p", "answer": "1", "difficulty": 5, "domain": ["a"]}, {"problem": "q", "answer": "2", "difficulty": 6, "domain": []}]):
    add("omni_math.OmniMathDataset", {}, repository("KbsdJames/Omni-MATH", default={"test": rows}), ["problem", "answer"])
SOLVED = {"0": {"problem": "p", "solution": "so \\boxed{\\frac{1}{2}} or \\boxed{x^{2}}."}, "1": {"problem": "q", "solution": "none"}, "2": {"problem": "r", "solution": "\\fbox{3}"}, "3": {"problem": "s", "solution": "\\boxed 5 {4}"}}
add("math_intern.MATHInternDataset", {"path": "data/made.json"}, {"data/made.json": json.dumps(SOLVED)}, ["problem", "solution"])
add("math_intern.MATHInternDataset", {"path": "data/made.json"}, {"data/made.json": json.dumps({"x": {"solution": "\\boxed{1", "problem": "z"}, "y": {"problem": "w", "solution": "\\boxed{}"}})}, ["problem", "solution"])
add("math_intern.MATHInternDataset", {"path": "data/made.json"}, {"data/made.json": "{\"a\": {\"problem\": \"x\"}}"}, ["problem", "solution"], fails=True)
both("gaokao_math.GaoKaoMATHDataset", {"path": "./data/made.json"}, "data/made.json", [{"question": "q", "response": "r", "question_type": "t", "extract_answer": ["A", 2]}, {"question": "q", "response": "r", "question_type": "t", "extract_answer": 1.0}], [{"question": "q", "response": "r", "question_type": "t", "extract_answer": None}], ["question", "response", "extract_answer"], broken={"question": "x"})
CELLS = "index,question,A,B,C,D,answer\n1,\"What, then?\",a,b,c,d,A\n2,x,\"1\n2\",2,3,4,D\n"
add("mastermath2024v1.MastermathDatasetv1", {"path": "./data/mm/", "name": "made.csv"}, {"data/mm/made.csv": CELLS}, ["question", "A", "answer"])
add("mastermath2024v1.MastermathDatasetv1", {"path": "./data/mm/", "name": "made.csv"}, {"data/mm/made.csv": "1,q,a,b,c,d,B,more\n"}, ["question", "A", "answer"])
add("mastermath2024v1.MastermathDatasetv1", {"path": "./data/mm/", "name": "made.csv"}, {"data/mm/made.csv": "1,q,a,b,c\n"}, ["question", "A", "answer"], fails=True)
TABLE = {
    "1": {"question": "How many?", "choices": None, "answer": "3", "unit": None, "table_title": "Geese", "table": "a | b", "solution": "Count.\nThree.", "grades": 3},
    "2": {"question": "Which?", "choices": ["yes", "no"], "answer": "no", "unit": "cm", "table_title": "", "table": "x", "solution": "s"},
}
for problems in (TABLE, {"9": TABLE["1"]}):
    add("tabmwp.TabMWPDataset", {"path": "./data/tabmwp/"}, {f"data/tabmwp/problems_{split}.json": json.dumps(problems) for split in ("dev", "test", "train")}, ["question", "table", "test_elements"], "dev")
add("tabmwp.TabMWPDataset", {"path": "./data/tabmwp/"}, {f"data/tabmwp/problems_{split}.json": "{\"1\": {\"question\": \"x\"}}" for split in ("dev", "test", "train")}, ["question", "table", "test_elements"], "dev", fails=True)
CHOICES = [{"question": " How many? ", "options": ["a", "b", "c", "d"], "answer": "B", "more": 1}, {"question": "Why?", "options": ["1", "2", "3", "4"], "answer": "D", "more": 2}]
for name in ("single_choice_circular", "single_choice", "cloze"):
    add("compassbench_obj.CompassBenchObjectiveV1_3", {"path": "./data/made.jsonl", "name": name}, {"data/made.jsonl": lines(*CHOICES)}, ["question", "answer"])
add("compassbench_obj.CompassBenchObjectiveV1_3", {"path": "./data/made.jsonl", "name": "x_circular"}, {"data/made.jsonl": lines({**CHOICES[0], "answer": "E"})}, ["question", "answer"], fails=True)

# SciReasoner
MANY = [{"input": f"Which enzyme is {number}?", "output": f"EC{number}", "meta_data": {"label": number}} for number in range(170)]
FEW = [{"output": "o", "input": "i", "meta_data": {"task": "t"}}, {"output": "p", "input": "j", "meta_data": {"task": "u"}}]
TASKS = {
    "SciReasoner.Mol_Instructions.molecule.Mol_Instructions_Dataset": ("Mol_Instructions", "Mol-Instructions-test"),
    "SciReasoner.Mol_Instructions.biotext.Mol_Instructions_Dataset_BioText": ("Mol_Instructions", "Mol-Instructions-test"),
    "SciReasoner.Mol_Instructions.protein.Mol_Instructions_Dataset_Protein_Design": ("Mol_Instructions", "Mol-Instructions-test"),
    "SciReasoner.LLM4Chem.evaluator.LLM4ChemDataset": ("smol", "smol-test"),
    "SciReasoner.PEER.PEER_Dataset": ("PEER", "PEER-test"),
    "SciReasoner.opi.evaluator.OpiDataset": ("OPI", "OPI_test"),
    "SciReasoner.bio_instruction.Bioinstruction_Dataset": ("bio_instruction", "bio_instruction"),
    "SciReasoner.GUE.GUE_Dataset": ("GUE", "GUE-test"),
}
for class_name, (name, folder) in TASKS.items():
    files = lambda rows: {f"data/SciReasoner/{folder}/made/{split}/data.json": listed(*rows) for split in ("dev", "test")}  # noqa: E731
    entry = {"path": f"opencompass/SciReasoner-{name}", "task": "made"}
    add(class_name, entry, files(MANY), ["input", "output"])
    add(class_name, {**entry, "mini_set": True}, files(MANY), ["input", "output"])
    strict = class_name.split(".")[-1] in ("Mol_Instructions_Dataset", "Mol_Instructions_Dataset_Protein_Design", "PEER_Dataset", "GUE_Dataset")
    add(class_name, {**entry, "mini_set": True}, files(FEW), ["input", "output"], fails=strict)
    if "GUE" not in class_name and "Bio" not in class_name.split(".")[-1][:3]:
        add(class_name, {**entry, "max_cut": 7}, files(MANY), ["input", "output"])
    add(class_name, entry, {}, ["input", "output"], fails=True)
for module, folder in (("bulk_modulus_material.Bulk_modulus_material_Dataset", "bulk_modulus_material"), ("composition_material.Composition_material_Dataset", "conditional_generation/composition_material")):
    files = {f"data/SciReasoner/Conditional_generation/{folder}/{split}/data.json": listed(*MANY) for split in ("dev", "test")}
    for more in ({}, {"mini_set": True}):
        add(f"SciReasoner.{module}", {"path": "opencompass/SciReasoner-Conditional_generation", **more}, files, ["input", "output"])
    add(f"SciReasoner.{module}", {"path": "opencompass/SciReasoner-Conditional_generation"}, {}, ["input", "output"], fails=True)
VALUES = [{"input": f"m{number}", "output": f"so {{gap : {number}.5}}" if number % 2 else "{other : 1}", "x": 1} for number in range(400)]
MAT_ENTRY = {"path": "opencompass/SciReasoner-LLM4Mat", "train_path": "mp/dev/data.json", "test_path": "mp/test/data.json", "property": "gap"}
UNDER = "data/SciReasoner/LLM4Mat-test/mp/"
LLM4MAT = "SciReasoner.LLM4Mat.LLM4MatDataset"
for more in ({}, {"mini_set": True}):
    add(LLM4MAT, {**MAT_ENTRY, **more}, {f"{UNDER}{split}/data.json": listed(*VALUES) for split in ("dev", "test")}, ["input", "output"])
add(LLM4MAT, MAT_ENTRY, {f"{UNDER}{split}/data.json": json.dumps(VALUES[1]) for split in ("dev", "test")}, ["input", "output"])
add(LLM4MAT, MAT_ENTRY, {f"{UNDER}{split}/data.json": listed({"input": "x"}) for split in ("dev", "test")}, ["input", "output"], fails=True)
for number, prompt in ((3, "Give me <rna>."), (1, "中")):
    for module in ("uncond_RNA.Uncond_RNA_Dataset", "uncond_material.Uncond_material_Dataset"):
        add(f"SciReasoner.{module}", {"num": number, "prompt": prompt}, {}, ["input", "output"])
EXAM = [
    {"id": "1", "question": "Mix.", "has_img": False, "sub_question": [{"question": "a?", "answer": "x", "qa_type": 1}, {"question": "b?", "sub_question": [{"question": "c?", "answer": "y", "qa_type": 2}]}]},
    {"id": "2", "question": "Name it.", "answer": "salt", "qa_type": 3, "has_img": True},
]
both("chem_exam.ChemExamDataset", {"path": "opencompass/Chem_exam_competition"}, "data/test_set/icho.jsonl", EXAM, EXAM[1:], ["prompt", "output"], lines, broken={"id": "1", "question": "x", "has_img": False})
for rows in ([{"id_ddm": 1, "dialogs": [{"content": "wave"}], "ground_truth": [1.5, 2]}], [{"id_ddm": 2, "dialogs": [{"content": "w"}, {"content": "v"}], "ground_truth": [[1], [2]]}]):
    add("OpenSWI.OpenSWIDataset", {"path": "opencompass/openswi", "name": "deep"}, {"data/OpenSWI-1k-v1/deep/made.part.jsonl": lines(*rows)}, ["prompt", "ground_truth"])
add("OpenSWI.OpenSWIDataset", {"path": "opencompass/openswi", "name": "deep"}, {"data/OpenSWI-1k-v1/deep/made.jsonl": lines({"id_ddm": 1})}, ["prompt", "ground_truth"], fails=True)
