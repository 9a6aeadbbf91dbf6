//! Archives that OpenCompass's data sets come in: a part of the paths that each serves, the name of its file, and
//! its md5. Facts of OpenCompass 0.5.4.
//!
//! They stand in the order of the original and not of the alphabet, because the last whose part a path holds is the
//! one that is meant. The part of `IFBench` is spelled as its folder is; as the original spells it, no path held it.

use std::{env, path::Path};

use serde_json::Value;

use crate::{
    hub::ArchiveAddress,
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// The folder that all of them lie in.
const FOLDER: &str = "http://opencompass.oss-cn-shanghai.aliyuncs.com/datasets/data";

/// The folder that they are unpacked into, below that of all data.
const DATA: &str = "data/";

/// More of them, in the home folder: OpenCompass reads it too. Addresses and md5 by the part of the paths.
const MORE: &str = ".OPENCOMPASS_INTERNAL_DATA_URL.json";

/// Part of a path, file, md5.
#[rustfmt::skip]
const ARCHIVES: &[(&str, &str, &str)] = &[
    ("/IFBench", "IFBench.zip", "b1c63b31e3312f929c6318977de4cdd3"),
    ("/fake_alignment/", "fake_alignment.zip", "5172cf0d86f8fb9ab36cec003a86ff3a"),
    ("/NPHardEval/", "NPHardEval.zip", "3264fd3a3d2952bb6b3a12e4a3054d3a"),
    ("openfindata_release", "openfindata_release.zip", "8b2f4e20846dd5f65da8b4d53301dcbf"),
    ("/lawbench/", "lawbench.zip", "c36401070e3b7f9e6764828b1c455ee3"),
    ("/AGIEval/", "AGIEval.zip", "8ceb494a0e3066b8156711377906378a"),
    ("/lcb_pro", "lcb_pro.zip", "ff4572e292fe27cabce3ab3b407361bd"),
    ("/lambada/", "lambada.zip", "d001d2125743c8aa4d770d4dd1718f29"),
    ("/mol-instructions", "mol-instructions.zip", "ea3db4a199222835036235b18306065a"),
    ("/biology-instruction", "biology-instruction-fixed.zip", "5e9bc19f403372bed50c7c46afed8291"),
    ("/climaqa_gold", "climaqa_gold.zip", "310cd0dc96db2bbbce798c40e2163ac2"),
    ("/climaqa_silver", "climaqa_silver.zip", "acdd955f1c170539c5233c12f7227c58"),
    ("/PHYSICS-textonly", "PHYSICS-textonly.zip", "92be6846a22dd4da942ca43f0638c709"),
    ("/OlympiadBench", "OlympiadBench.zip", "97e8b1ae7f6170d94817288a8930ef00"),
    ("/longbenchv2", "longbenchv2.zip", "09b7e06e6f98c5cca8ad597b3d7b42f0"),
    ("/livestembench", "livestembench.zip", "0ff59d031c3dcff56a2e00e8c1489f5d"),
    ("/musr", "musr.zip", "7447d2a5bec4586035196102135e2af9"),
    ("/mmlu/", "mmlu.zip", "761310671509a239e41c4b717f7fab9c"),
    ("/mmmlu_lite", "mmmlu_lite.zip", "a776af1220e1826fd0608eda1bc4425e"),
    ("/simpleqa", "simpleqa.zip", "82af3e1378031c249cd169ed10cc2e91"),
    ("/svamp/", "svamp.zip", "2be740eadca6123d6bb686c9e6e00ef6"),
    ("/chinese_simpleqa", "chinese_simpleqa_fixed_20260630.zip", "e6f17debc27bff4d713a6a9b301134fd"),
    ("/gpqa/", "gpqa.zip", "2e9657959030a765916f1f2aca29140d"),
    ("/piqa", "piqa.zip", "39374924aec45f2f7efdffb1977ce2ba"),
    ("/CHARM/", "CHARM.zip", "fdf51e955d1b8e0bb35bc1997eaf37cb"),
    ("/ifeval/", "ifeval.zip", "64d98b6f36b42e7390c9cef76cace75f"),
    ("/mbpp_plus/", "mbpp_plus.zip", "a1a2207e449462849024660b29e67dde"),
    ("/mbpp/", "mbpp.zip", "777739c90f04bce44096a5bc96c8f9e5"),
    ("/cmmlu/", "cmmlu.zip", "a59f4003d6918509a719ce3bc2a5d5bc"),
    ("/ceval/", "ceval.zip", "3889202085aebd28b596b98bee43e1aa"),
    ("/math/", "math.zip", "cb5b4c8378085929e20345174e731fdf"),
    ("/hellaswag/", "hellaswag.zip", "2b700a02ffb58571c7df8d8d0619256f"),
    ("/BBH/", "BBH.zip", "60c49f9bef5148aa7e1941328e96a554"),
    ("/compass_arena/", "compass_arena.zip", "cd59b54a179d16f2a858b359b60588f6"),
    ("/TheoremQA/", "TheoremQA.zip", "f2793b07bc26510d507aa710d9bd8622"),
    ("/mathbench_v1/", "mathbench_v1.zip", "50257a910ca43d1f61a610a79fdb16b5"),
    ("/gsm8k/", "gsm8k.zip", "901e5dc93a2889789a469da9850cdca8"),
    ("/gsm-hard/", "gsm-hard.zip", "5feff99c4087d34313e226da0358f08a"),
    ("/mgsm/", "mgsm.zip", "fd7029c19604b944ef891dd1c411e60a"),
    ("/LCBench2023/", "LCBench2023.zip", "e1a38c94a42ad1809e9e0650476a9306"),
    ("/humaneval/", "humaneval.zip", "88b1b89dc47b7121c81da6bcd85a69c3"),
    ("/humanevalx", "humanevalx.zip", "22930355c03fb73fb5bae14b50f1deb9"),
    ("/ds1000_data", "ds1000_data.zip", "1a4990aec04a2fd73ccfad12e2d43b43"),
    ("/drop_simple_eval/", "drop_simple_eval.zip", "c912afe5b4a63509851cf16e6b91830e"),
    ("subjective/alignment_bench/", "alignment_bench.zip", "d8ae9a0398526479dbbcdb80fafabceb"),
    ("subjective/alpaca_eval", "alpaca_eval.zip", "d7399d63cb46c82f089447160ef49b6a"),
    ("subjective/arena_hard", "arena_hard.zip", "02cd09a482cb0f0cd9d2c2afe7a1697f"),
    ("subjective/mtbench", "mtbench.zip", "d1afc0787aeac7f1f24872742e161069"),
    ("subjective/fofo", "fofo.zip", "8a302712e425e27e4292a9369df5b9d3"),
    ("subjective/followbench", "followbench.zip", "da7a831817c969da15d1e78d4a245d8a"),
    ("subjective/mtbench101", "mtbench101.zip", "5d80257bc9929ebe5cfbf6d11184b04c"),
    ("subjective/WildBench", "wildbench.zip", "b06252857f1f8f44a17b1bfca4888ff4"),
    ("/ruler/", "ruler.zip", "c60bdfff3d02358067104cc1dea7c0f7"),
    ("/scicode", "scicode.zip", "9c6c64b8c70edc418f713419ea39989c"),
    ("/commonsenseqa", "commonsenseqa.zip", "c4a82fc07c81ae1462605f5d7fd2bb2e"),
    ("FewCLUE", "FewCLUE.zip", "7976e2bb0e9d885ffd3c55f7c5d4021e"),
    ("/race", "race.zip", "b758251764a264746cf45749c02363f9"),
    ("/ARC", "ARC.zip", "d720629b69f1a51cfe78bf65b00b44f6"),
    ("/SuperGLUE", "SuperGLUE.zip", "b60904915b0b61d1a04ea52280169936"),
    ("SQuAD2.0", "SQuAD2.0.zip", "1321cbf9349e1102a57d31d1b2bfdd7e"),
    ("/Matbench", "Matbench.zip", "99f9457f54f4f419da9556af56ac4c24"),
    ("mmlu_pro", "mmlu_pro.zip", "e3200c7380f4cea5f13c768f2815fabb"),
    ("multipl_e", "multipl_e.zip", "24462aac7a38a4a62f5c5e89eb614e20"),
    ("/Longbench", "Longbench.zip", "ab0cb9e520ae5cfb899bf38b564249bb"),
    ("/needlebench", "needlebench.zip", "dad5c903ebfea16eaf186b8997aeedad"),
    ("/teval", "teval.zip", "7628ab5891a26bf96ca17becfd044867"),
    ("/code_generation_lite", "code_generation_lite.zip", "d301829ca76ec42edabfe31581388da6"),
    ("/execution-v2", "execution-v2.zip", "019ef1a0686ee6ca34f51c8af104fcd9"),
    ("/test_generation", "test_generation.zip", "918a6ea2b1eee6f2b1314db3c21cb4c7"),
    ("/aime.jsonl", "aime.zip", "fbe2d0577fc210962a549f8cea1a00c8"),
    ("/aime2025", "aime2025.zip", "aa18cd5d2e2de246c5397f5eb1e61004"),
    ("/aime2026", "aime2026.zip", "4230d87b80646c811ada0e4bb2efe3a3"),
    ("/hmmt2026", "hmmt_feb_2026.zip", "442642baa94de9e8a67903d7d5aef44b"),
    ("/cmo", "cmo.zip", "fad52c81290506a8ca74f46b5400d8fc"),
    ("/nq-open", "nq-open.zip", "a340521e5c9ec591227dcb367f718b25"),
    ("/winogrande", "winogrande.zip", "9e949a75eacc26ed4fd2b9aa870b495b"),
    ("/triviaqa", "triviaqa.zip", "e6a118d744236814926b2ec7ec66c034"),
    ("/GAOKAO-BENCH", "GAOKAO-BENCH.zip", "ba3c71b8b9db96d2a0664b977c4f9784"),
    ("/WikiBench", "WikiBench.zip", "6dac1d1a3133fe1effff185cbf71d928"),
    ("/babilong", "babilong.zip", "e400864c31bc58d29eaa3e199751f99b"),
    ("/korbench", "korbench.zip", "9107597d137e7362eaf7d218ddef7a6d"),
    ("/bbeh", "bbeh.zip", "43a3c2d73aee731ac68ac790bc9a358e"),
    ("subjective/judgerbench", "judgerbench.zip", "60d605883aa8cac9755819140ab42c6b"),
    ("/arc_prize_public_evaluation", "arc_prize_public_evaluation.zip", "367a33977651496efddba7670009807e"),
    ("P-MMEval", "pmmeval.zip", "09e401e6229a50647b9e13c429e634d1"),
    ("LiveMathBench", "LiveMathBench.zip", "d0781f9185c9bb50e81e6e3ca8c59013"),
    ("bigcodebench", "bigcodebench.zip", "270f399f4142b74f47ecff116cc3b21d"),
    ("ChemBench4K", "ChemBench4K.zip", "fc23fd21b2566a5dbbebfa4601d7779c"),
    ("SRBENCH", "srbench.zip", "384537d681dceb1c76ba52e4004c5714"),
    ("nejmaibench", "nejmaibench.zip", "e6082cae3596b3ebea73e23ba445b99e"),
    ("humaneval_pro", "humaneval_pro.zip", "4c6fe556e84e905e4f0902d699e46de5"),
    ("mbpp_pro", "mbpp_pro.zip", "eac330b8a0a8687f006265c9383503ce"),
    ("medbullets", "medbullets.zip", "b63130999c1f28d57acba1c7852639f8"),
    ("/phybench", "phybench.zip", "a4209b820f6384f69ec88fa816db9e4b"),
    ("/SciReasoner", "SciReasoner.zip", "2cf692234badc836fb80c4cf756d5160"),
    ("/imo-bench-answerbench", "imo-bench-answerbench.zip", "34b814c97344016d5b597d75a8fff7be"),
];

/// The archive that a path below the folder of all data comes in; nothing where none is known. A file of more
/// archives that makes no sense is told.
pub(super) fn archive_of(path: &str) -> Result<Option<ArchiveAddress>, String> {
    let Some(path) = below_data(path) else { return Ok(None) };
    let home = env::home_dir();
    let more = home.map_or(Ok(Vec::new()), |home| more_archives(&home.join(MORE)))?;
    if let Some((_, archive)) = more.into_iter().rfind(|(part, _)| path.contains(part)) {
        return Ok(Some(archive));
    }
    let known = ARCHIVES.iter().rfind(|(part, ..)| path.contains(part));
    known.map(|(_, file, md5)| ArchiveAddress::new(&format!("{FOLDER}/{file}"), md5)).transpose()
}

/// The path as parts are compared with it: a folder ends in a stroke, however it is written.
fn below_data(path: &str) -> Option<String> {
    let path = path.trim_start_matches("./");
    let leads_out = path.split('/').any(|part| part == "..");
    (path.starts_with(DATA) && !leads_out).then(|| format!("{}/", path.trim_end_matches('/')))
}

/// The archives of a file, in its order; none where there is no file.
fn more_archives(file: &Path) -> Result<Vec<(String, ArchiveAddress)>, String> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let odd = |problem: String| {
        format!(
            "{}: {problem}; expected {{\"PART OF A PATH\": {{\"url\": …, \"md5\": …}}}}",
            file.display()
        )
    };
    let text =
        regular_file::read(file, MOST_SETTINGS_BYTES).map_err(|error| odd(error.to_string()))?;
    let written: Value = serde_json::from_slice(&text).map_err(|error| odd(error.to_string()))?;
    let entries = written.as_object().ok_or_else(|| odd("this is no object".to_owned()))?;
    let archive = |(part, entry): (&String, &Value)| -> Result<(String, ArchiveAddress), String> {
        let text = |field: &str| {
            let text = entry.get(field).and_then(Value::as_str);
            text.ok_or_else(|| odd(format!("{part:?} has no {field}")))
        };
        let archive = ArchiveAddress::new(text("url")?, text("md5")?);
        Ok((part.clone(), archive.map_err(|problem| odd(format!("{part:?}: {problem}")))?))
    };
    entries.iter().map(archive).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::dataset::loader::known_places::PLACES;

    fn file_for(path: &str) -> Option<&'static str> {
        let path = below_data(path)?;
        ARCHIVES.iter().rfind(|(part, ..)| path.contains(part)).map(|(_, file, _)| *file)
    }

    #[test]
    fn every_line_is_an_address_and_serves_a_path_alone() {
        for (part, file, md5) in ARCHIVES {
            let archive = ArchiveAddress::new(&format!("{FOLDER}/{file}"), md5);
            assert_eq!(archive.map(|archive| archive.name().to_owned()), Ok((*file).to_owned()));
            assert!(!part.is_empty());
        }
        assert_eq!(ARCHIVES.len(), 96);
        for (name, place) in PLACES {
            let path = below_data(place).unwrap();
            let serving = ARCHIVES.iter().filter(|(part, ..)| path.contains(part)).count();
            assert!(serving <= 1, "{name}");
        }
    }

    #[test]
    fn a_path_is_known_however_it_is_written() {
        for (path, expected) in [
            ("data/mmlu/", Some("mmlu.zip")),
            ("data/mmlu", Some("mmlu.zip")),
            ("./data/mmlu/", Some("mmlu.zip")),
            ("data/aime.jsonl", Some("aime.zip")),
            ("data/IFBench/IFBench_test.jsonl", Some("IFBench.zip")),
            ("./data/FewCLUE/bustm/dev_few_all.jsonl", Some("FewCLUE.zip")),
            ("data/subjective/alignment_bench", Some("alignment_bench.zip")),
            ("data/CLUE/AFQMC/dev.json", None),
            ("/data/mmlu/", None),
            ("mmlu", None),
            ("data/../mmlu/", None),
        ] {
            assert_eq!(file_for(path), expected, "{path}");
        }
    }

    #[test]
    fn a_file_of_more_archives_is_read_or_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("more.json");
        let read = |text: &str| {
            fs::write(&file, text).unwrap();
            more_archives(&file).map(|archives| archives.len())
        };
        let md5 = "d41d8cd98f00b204e9800998ecf8427e";
        let entry = |url: &str| format!("{{\"/x/\": {{\"url\": \"{url}\", \"md5\": \"{md5}\"}}}}");
        assert_eq!(read(&entry("https://example.org/a/x.zip")), Ok(1));
        for (text, expected) in [
            (entry("https://example.org/a/x.rar"), "x.rar"),
            (entry("ftp://example.org/x.zip"), "http"),
            ("[]".to_owned(), "no object"),
            ("{\"/x/\": {}}".to_owned(), "has no url"),
            ("{".to_owned(), "more.json"),
        ] {
            let problem = read(&text).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
        assert_eq!(more_archives(&folder.path().join("none.json")).map(|found| found.len()), Ok(0));
    }
}
