//! Well-known layouts, written here from their descriptions, and the texts that those promise.

use surprisal::chat::{ChatError, ChatTemplate, Message, RenderOptions};

const CHATML: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const ZEPHYR: &str = "{% for m in messages %}{{ '<|' + m['role'] + '|>\n' + m['content'] + eos_token }}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}";

const MISTRAL: &str = "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% elif m.role == 'assistant' %}{{ ' ' + m.content + eos_token }}{% else %}{{ raise_exception('only user and assistant') }}{% endif %}{% endfor %}";

const LLAMA_2: &str = "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}{% set before = '<<SYS>>\n' + messages[0].content + '\n<</SYS>>\n\n' %}{% else %}{% set rest = messages %}{% set before = '' %}{% endif %}{% for m in rest %}{% if m.role == 'user' %}{{ bos_token + '[INST] ' + (before if loop.first else '') + m.content.strip() + ' [/INST]' }}{% else %}{{ ' ' + m.content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}";

const BLENDER: &str = "{% for m in messages %}{% if m.role == 'user' %}{{ ' ' }}{% endif %}{{ m.content }}{% if not loop.last %}{{ '  ' }}{% endif %}{% endfor %}{{ eos_token }}";

fn render(source: &str, said: &[(&str, &str)], asks: bool) -> Result<String, ChatError> {
    let messages: Vec<Message> =
        said.iter().map(|(role, content)| Message::new(role, *content)).collect();
    let mut options = RenderOptions::at(jiff::civil::date(2025, 1, 1).into())
        .with_special_token("bos_token", Some("<s>"))
        .with_special_token("eos_token", Some("</s>"));
    options.add_generation_prompt = asks;
    Ok(ChatTemplate::compile("documented", source)?.render(&messages, &options)?.text)
}

#[test]
fn documented_layouts_come_out_as_documented() -> Result<(), ChatError> {
    let talk = [("user", "Hi"), ("assistant", "Hello"), ("user", "Bye")];
    let system = [&[("system", "Be kind.")], &talk[..]].concat();
    let cases = [
        (
            CHATML,
            &system[..],
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n\
             <|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n\
             <|im_start|>assistant\n",
        ),
        (
            ZEPHYR,
            &system[..],
            "<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello</s>\n\
             <|user|>\nBye</s>\n<|assistant|>\n",
        ),
        (MISTRAL, &talk[..], "<s>[INST] Hi [/INST] Hello</s>[INST] Bye [/INST]"),
        (
            LLAMA_2,
            &system[..],
            "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] Bye [/INST]",
        ),
        (BLENDER, &talk[..], " Hi  Hello   Bye</s>"),
    ];
    for (source, said, expected) in cases {
        assert_eq!(render(source, said, true)?, expected, "{source}");
    }
    let refused = render(MISTRAL, &system, true);
    assert!(matches!(refused, Err(ChatError::Refused { .. })), "{refused:?}");
    Ok(())
}
