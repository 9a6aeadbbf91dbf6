"""The model of OpenCompass on the small model that ships with the program, beside the release's own `BaseModel`.

    SURPRISAL=PROGRAM SURPRISAL_OPENCOMPASS=PACKAGE python -m unittest discover -s python/tests

The class is derived from the real one, read in PACKAGE; torch and mmengine, which it names and does not need for this, are stand-ins.
Without PACKAGE these tests are skipped.
"""

import importlib
import logging
import math
import os
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "python"))

POCKET = str(REPOSITORY / "models" / "pocket")
PACKAGE = os.environ.get("SURPRISAL_OPENCOMPASS")


def stand_in(name, **attributes):
    module = types.ModuleType(name)
    vars(module).update(attributes)
    return module


def modules(package):
    """What stands in for modules whose import needs far more than a model's base class."""
    folder = Path(package, "opencompass")
    named = {
        "torch": stand_in("torch", Tensor=object),
        "mmengine": stand_in("mmengine", dist=None),
        "mmengine.config": stand_in("mmengine.config", ConfigDict=dict),
        "opencompass.utils.logging": stand_in("opencompass.utils.logging", get_logger=logging.getLogger),
    }
    for name in ["opencompass", "opencompass.models", "opencompass.utils"]:
        named[name] = stand_in(name, __path__=[str(folder.joinpath(*name.split(".")[1:]))])
    return named


@unittest.skipUnless(PACKAGE, "SURPRISAL_OPENCOMPASS names no package")
class OpenCompassTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        patch = mock.patch.dict(sys.modules, modules(PACKAGE))
        patch.start()
        cls.addClassCleanup(patch.stop)
        sys.modules.pop("surprisal.opencompass", None)
        cls.model_class = importlib.import_module("surprisal.opencompass").Surprisal
        cls.model = cls.model_class(path=POCKET, device="cpu", threads=1)
        # Letters and a beginning: what transformers would say of this tokenizer is not the matter here.
        cls.model.__dict__["tokenizer"] = lambda text, add_special_tokens: {
            "input_ids": [*text, "<|bos|>"] if add_special_tokens else [*text]
        }

    def test_perplexities_are_sums_through_all_tokens(self):
        texts = ["The cat {sat} on the mat.", "a", "The cat {sat} on the dog."]
        whole = self.model.get_ppl(texts)
        self.assertEqual(whole.shape, (3,))
        self.assertTrue((whole > 0).all())
        tokens = self.model._scored(texts)
        for found, nlls in zip(whole, tokens):
            # Nothing stands before the token that begins a text.
            self.assertEqual(nlls[0], 0.0)
            self.assertTrue(math.isclose(found, sum(nlls) / len(nlls)))
        # What only the first tokens cost is masked.
        masked = self.model.get_ppl(texts, mask_length=[0, 1, 3])
        self.assertEqual(masked[0], whole[0])
        self.assertTrue(math.isclose(masked[1], tokens[1][1]))
        self.assertTrue(math.isclose(masked[2], sum(tokens[2][3:]) / (len(tokens[2]) - 3)))
        with self.assertRaisesRegex(ValueError, "2 tokens has none behind the 2"):
            self.model.get_ppl(["a"], mask_length=[2])

    def test_a_log_likelihood_is_the_perplexity_behind_as_many_tokens(self):
        texts, continuations = ["2 + 3 = 5", "2 + 3 = 6"], ["5", "6"]
        found = self.model.get_loglikelihood(texts, continuations)
        self.assertEqual(found.tolist(), (-self.model.get_ppl(texts, [1, 1])).tolist())
        self.assertEqual(self.model.get_token_len("abc"), 4)

    def test_texts_go_on(self):
        texts = ["2 + 3 =", "The cat", "2 + 3 ="]
        found = self.model.generate_from_template(texts, max_out_len=6, stopping_criteria=["\n"], min_out_len=None)
        self.assertEqual([type(text) for text in found], [str] * 3)
        self.assertEqual(found[0], found[2])
        self.assertTrue(all("\n" not in text for text in found))

    def test_templates_are_opencompass_own(self):
        prompt = importlib.import_module("opencompass.utils.prompt").PromptList
        lines = prompt([{"role": "HUMAN", "prompt": "2 + 3 ="}, {"role": "BOT", "prompt": "5"}])
        self.assertEqual(self.model.get_ppl_from_template([lines]).tolist(), self.model.get_ppl(["2 + 3 =\n5"]).tolist())

    def test_what_cannot_be_done_is_told(self):
        from surprisal.program import SurprisalError

        with self.assertRaisesRegex(SurprisalError, "exit code 2(.|\n)*beams"):
            self.model.generate(["a"], max_out_len=3, num_beams=3)
        with self.assertRaisesRegex(TypeError, "peft_path"):
            self.model_class(path=POCKET, peft_path="adapter")
        with self.assertRaisesRegex(TypeError, "prompts are texts"):
            self.model.get_ppl([[{"role": "HUMAN", "prompt": "a"}]])
        with self.assertRaisesRegex(ValueError, "2 texts have 1 lengths"):
            self.model.get_ppl(["a", "b"], mask_length=[1])


if __name__ == "__main__":
    unittest.main()
