"""The model `surprisal` as lm-eval calls it, on the small model that ships with the program.

    SURPRISAL=PROGRAM python -m unittest discover -s python/tests

needs lm-eval and what its interface of models imports; neither torch nor transformers.
"""

import math
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "python"))

from lm_eval.api.instance import Instance  # noqa: E402
from lm_eval.api.registry import get_model, model_registry  # noqa: E402

import surprisal.lm_eval  # noqa: E402
from surprisal.program import SurprisalError  # noqa: E402

POCKET = str(REPOSITORY / "models" / "pocket")


def instances(kind, *arguments):
    return [Instance(kind, {}, own, place, ("invented", place, 1)) for place, own in enumerate(arguments)]


class Hook:
    """What is told to lm-eval's cache."""

    def __init__(self):
        self.told = []

    def add_partial(self, attr, req, res):
        self.told.append((attr, tuple(req), res))


class ModelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        config = {"batch_size": 1, "max_batch_size": None, "device": None}
        cls.model = get_model("surprisal").create_from_arg_string(f"pretrained={POCKET},device=cpu,threads=1", config)

    def test_the_models_of_lm_eval_are_there_still(self):
        self.assertIn("hf", model_registry)

    def test_continuations_have_likelihoods(self):
        given = [("2 + 3 =", " 5"), ("2 + 3 =", " 6"), ("", "The sum"), ("2 + 3 = ", "5")]
        self.model.set_cache_hook(hook := Hook())
        found = self.model.loglikelihood(instances("loglikelihood", *given))
        self.assertEqual([(type(one), type(greedy)) for one, greedy in found], [(float, bool)] * 4)
        self.assertTrue(all(one < 0 for one, _ in found))
        # Blanks at the end of a context belong to the continuation.
        self.assertEqual(found[0], found[3])
        self.assertEqual(hook.told, [("loglikelihood", own, value) for own, value in zip(given, found)])

    def test_a_token_over_the_seam_is_read_as_lm_eval_reads_it(self):
        # This tokenizer has a token ": ". lm-eval reads the context's own ":" and then what the whole has behind as many tokens: "A".
        over, without = self.model.loglikelihood(instances("loglikelihood", ("Answer:", " A"), ("Answer:", "A")))
        self.assertEqual(over, without)

    def test_documents_are_scored_whole_and_in_windows(self):
        short, long = ("The cat is red.",), ("One and two. " * 220,)
        one, other, same = self.model.loglikelihood_rolling(instances("loglikelihood_rolling", short, long, short))
        self.assertIs(type(one), float)
        self.assertEqual(one, same)
        self.assertLess(other, one)

    def test_texts_go_on_up_to_a_text_that_ends_them(self):
        settings = {"until": ["\n"], "max_gen_toks": 8, "do_sample": False, "temperature": 0.0}
        (found,) = self.model.generate_until(instances("generate_until", ("2 + 3 =", settings)))
        self.assertIs(type(found), str)
        self.assertNotIn("\n", found)

    def test_draws_of_one_prompt_differ_and_hold(self):
        settings = {"until": [], "max_gen_toks": 12, "do_sample": True, "temperature": 3.0}
        asked = instances("generate_until", *[("Once", settings)] * 4)
        found = self.model.generate_until(asked)
        self.assertEqual(len(set(found)), 4, found)
        self.assertEqual(self.model.generate_until(asked), found)

    def test_nothing_is_asked_of_no_process(self):
        with mock.patch("subprocess.Popen", side_effect=AssertionError):
            self.assertEqual(self.model.loglikelihood([]), [])

    def test_all_requests_of_a_call_share_a_process(self):
        import subprocess

        with mock.patch("subprocess.Popen", wraps=subprocess.Popen) as started:
            self.model.loglikelihood(instances("loglikelihood", *[("a b c", f" {number}") for number in range(50)]))
        self.assertEqual(started.call_count, 1)

    def test_what_is_refused_is_an_exception_in_the_programs_words(self):
        beams = ("Once", {"until": ["."], "num_beams": 4})
        with self.assertRaisesRegex(SurprisalError, "exit code 2(.|\n)*beams are not searched"):
            self.model.generate_until(instances("generate_until", beams))
        with self.assertRaisesRegex(SurprisalError, "has no token of its own"):
            self.model.loglikelihood(instances("loglikelihood", ("a", "")))
        with self.assertRaisesRegex(ValueError, "continuation is not known"):
            self.model.generate_until(instances("generate_until", ("a", {"continuation": "b"})))
        with self.assertRaisesRegex(ValueError, "3 arguments"):
            self.model.generate_until(instances("generate_until", ("a", {}, {"visual": []})))
        nowhere = get_model("surprisal")(pretrained="/nowhere/at/all")
        with self.assertRaisesRegex(SurprisalError, "no checkpoint"):
            nowhere.loglikelihood(instances("loglikelihood", ("a", " b")))

    def test_an_answer_that_is_an_error_is_an_exception(self):
        def told(arguments):
            arguments = list(arguments)
            Path(arguments[arguments.index("-o") + 1]).write_text('{"id": 0, "error": "the device is gone"}\n')
            return ""

        with mock.patch.object(self.model._program, "ask", told):
            with self.assertRaisesRegex(SurprisalError, "1 of 1 requests have no answer.*the device is gone"):
                self.model.loglikelihood(instances("loglikelihood", ("a", " b")))

    def test_conversations_become_text_by_the_checkpoints_template(self):
        said = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "„2 + 3“?\n"}]
        opened = self.model.apply_chat_template(said)
        self.assertTrue(opened.startswith("<|bos|><|im_start|>system\nBe short.<|im_end|>\n"), opened)
        self.assertTrue(opened.endswith("„2 + 3“?\n<|im_end|>\n<|im_start|>assistant\n"), opened)
        said.append({"role": "assistant", "content": "It is"})
        self.assertTrue(self.model.apply_chat_template(said, add_generation_prompt=False).endswith("assistant\nIt is"))
        self.assertIn("{% for message in messages %}", self.model.chat_template(True))
        self.assertEqual(self.model.tokenizer_name, POCKET.replace("/", "__"))
        with self.assertRaises(SurprisalError):
            self.model.apply_chat_template([{"role": "user"}])

    def test_a_template_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(SurprisalError, "surprisal ended with exit code 2"):
            get_model("surprisal")(pretrained=POCKET).chat_template("tool_use")

    def test_arguments_are_followed_or_refused_by_name(self):
        make = get_model("surprisal")
        for argument in ["max_length", "add_bos_token", "peft", "nonsense"]:
            with self.assertRaisesRegex(ValueError, argument):
                make(pretrained=POCKET, **{argument: 1})
        with self.assertRaisesRegex(ValueError, "enable_thinking"):
            make(pretrained=POCKET, enable_thinking=True)
        # What lm-eval's command says where nobody said anything.
        self.assertEqual(make(pretrained="name", device="cuda:0", work_dir="kept")._program.options, ["--work-dir", "kept"])
        made = make(pretrained="org/name", revision="v2", device="cuda:0+1", dtype="bfloat16", batch_size="auto", work_dir="kept")
        self.assertEqual(made.pretrained, "org/name@v2")
        self.assertEqual(made._program.options, ["--device", "cuda:0,cuda:1", "--dtype", "bf16", "--work-dir", "kept"])

    def test_a_program_that_is_missing_says_how_to_get_it(self):
        with self.assertRaisesRegex(FileNotFoundError, "binary names /no/such(.|\n)*cargo install"):
            get_model("surprisal")(pretrained=POCKET, binary="/no/such")
        # As if the package had come without the program.
        alone = mock.patch("surprisal.program.installed_beside", return_value=None)
        with alone, mock.patch.dict(os.environ, {"SURPRISAL": "", "PATH": "/nowhere"}):
            with self.assertRaisesRegex(FileNotFoundError, "is not here(.|\n)*cargo install"):
                get_model("surprisal")(pretrained=POCKET)

    def test_answers_are_kept_where_a_folder_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            model = get_model("surprisal")(pretrained=POCKET, work_dir=folder)
            ((found, _),) = model.loglikelihood(instances("loglikelihood", ("a", " b")))
            self.assertTrue(Path(folder, "surprisal.db").exists())
            self.assertTrue(math.isfinite(found))


if __name__ == "__main__":
    unittest.main()
