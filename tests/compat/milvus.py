"""Passages in milvus-lite's server, with pymilvus as a witness; see milvus.sh.

    milvus.py SURPRISAL ENCODERS FOLDER
"""

import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import time

from pymilvus import DataType, MilvusClient

from milvus_server import HOST, Relay, Server, free_port

PASSAGES, QUERIES, TOP = 5000, 300, 10
# So many queries are asked for most of the passages.
FEW, DEEP = 12, 3000
# So many passages say the same: more than the server is asked for at first.
EQUAL = 200
SECRET = "geheimwort"

surprisal, encoders, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
passed = failed = 0


def check(what, holds, seen=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {str(seen)[-600:]}", flush=True)


def rows(path, texts, column):
    with open(path, "w") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"_id": f"p{number}", column: text}) + "\n")


def corpora():
    chance = random.Random(7)
    words = ["".join(chance.choices("abdegiklmnoprstuvz", k=chance.randint(2, 7))) for _ in range(900)]
    sentence = lambda most: " ".join(chance.choices(words, k=chance.randint(3, most)))
    texts = [sentence(24) for _ in range(PASSAGES)]
    for number in chance.sample(range(PASSAGES), EQUAL):
        texts[number] = "the same mill by the river"
    queries = [sentence(8) for _ in range(QUERIES - 2)] + ["the same mill by the river", "?!"]
    rows(folder / "corpus.jsonl", texts, "text")
    rows(folder / "other.jsonl", texts[1:], "text")
    rows(folder / "queries.jsonl", queries, "query")
    rows(folder / "few.jsonl", queries[-FEW:], "query")


def command(*extra, corpus="corpus.jsonl", queries="queries.jsonl", top=TOP, encoder="minilm-mean", by="dense"):
    return [
        surprisal, "search", str(folder / corpus), "--queries", str(folder / queries), "-k", str(top), "--json",
        "--by", by, "--encoder", str(encoders / encoder), "-w", str(folder / "work"), *extra,
    ]  # fmt: skip


def milvus(url, *extra):
    return ["--index", "milvus", "--milvus", url, *extra]


def run(command, **environment):
    made = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    found = None
    if made.returncode == 0:
        found = [
            [(hit["id"], hit["score"]) for hit in query["hits"]] for query in json.loads(made.stdout)["queries"]
        ]
    return made.returncode, found, made.stderr


def refused(what, command, expected, **environment):
    code, _, said = run(command, **environment)
    errors = [line for line in said.splitlines() if line.startswith("error")]
    check(what, code == 2 and expected in said and len(errors) == 1 and "panicked" not in said, (code, said))
    return said


def told(said):
    """Passages that were sent, and those that were there before."""
    sent = re.search(r"passages sent: ([\d,]+)", said)
    there = re.search(r"there before: ([\d,]+)", said)
    return tuple(int(match[1].replace(",", "")) if match else 0 for match in (sent, there))


def all_kept(said):
    """Whether no vector was computed."""
    return all(asked == kept for asked, kept in re.findall(r"embedded with .*: (\d+) texts; (\d+) of them", said)) and (
        "texts\n" not in said
    )


class Witness:
    """What pymilvus sees of a collection."""

    def __init__(self, url):
        self.client = MilvusClient(uri=url)

    def count(self, collection):
        # A server that was started anew has loaded nothing.
        self.client.load_collection(collection)
        return self.client.query(collection, filter="", output_fields=["count(*)"])[0]["count(*)"]

    def numbers(self, collection):
        found = self.client.query(collection, filter="passage >= 0", output_fields=["passage"], limit=16384)
        return sorted(row["passage"] for row in found)

    def vector(self, collection, number):
        return self.client.query(collection, filter=f"passage == {number}", output_fields=["vector"])[0]["vector"]


def filled_and_searched(server, exact):
    code, found, said = run(command(*milvus(server.url)))
    check("filled", told(said) == (PASSAGES, 0), said)
    check("same passages, order and scores as in memory", found == exact["dense"], (code, said))
    code, found, said = run(command(*milvus(server.url)))
    check("nothing is sent again", "all passages were there" in said and all_kept(said), said)
    check("same again", found == exact["dense"], (code, said))
    code, found, said = run(command(*milvus(server.url), by="hybrid"))
    check("hybrid as in memory", found == exact["hybrid"], (code, said))
    code, found, said = run(command(*milvus(server.url), queries="few.jsonl", top=DEEP))
    check("as many as are asked for", found == exact["deep"], (code, said))
    witness = Witness(server.url)
    names = witness.client.list_collections()
    check("one collection, named by its content", len(names) == 1 and names[0].startswith("surprisal_"), names)
    check("rows", witness.numbers(names[0]) == list(range(PASSAGES)))
    vector = witness.vector(names[0], 17)
    check("vectors of length 1", abs(sum(number**2 for number in vector) - 1) < 1e-5, vector)
    index = witness.client.describe_index(names[0], "vector")
    check("index", (index["index_type"], index["metric_type"]) == ("FLAT", "IP"), index)


def killed_and_resumed(server, exact):
    witness = Witness(server.url)
    for number, share in enumerate((0.1, 0.5, 0.9)):
        name, row = f"killed_{number}", 4 * len(witness.vector(witness.client.list_collections()[0], 0))
        relay = Relay(server.port, limit=int(share * PASSAGES * row))
        process = subprocess.Popen(
            command(*milvus(relay.url, "--collection", name)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        check("the relay is full", relay.full.wait(120))
        time.sleep(0.5)
        process.kill()
        process.wait()
        relay.close()
        there = witness.count(name)
        check("killed on the way", there < PASSAGES and (there > 0 or share < 0.3), there)
        relay = Relay(server.port)
        code, found, said = run(command(*milvus(relay.url, "--collection", name)))
        relay.close()
        missing = PASSAGES - there
        check("the rest is sent", told(said) == (missing, there), (there, said))
        # Beside the rows: their numbers, other messages, and the queries.
        most = missing * (row + 8) + 5 * QUERIES * row + 65536
        check("and nothing else", missing * row <= relay.sent <= most, (missing * row, relay.sent, most))
        check("no vector is computed again", all_kept(said), said)
        check("every passage once", witness.numbers(name) == list(range(PASSAGES)) and witness.count(name) == PASSAGES)
        check("same after a kill", found == exact["dense"], (code, said))


def server_killed(server, exact):
    relay = Relay(server.port, limit=PASSAGES * 64)
    extra = milvus(relay.url, "--collection", "lost")
    process = subprocess.Popen(command(*extra), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    relay.full.wait(120)
    time.sleep(0.5)
    server.kill()
    relay.close()
    server.start()
    _, said = process.communicate(timeout=300)
    check("a lost server is an error", process.returncode == 2 and "same command goes on" in said, said)
    there = Witness(server.url).count("lost")
    code, found, said = run(command(*milvus(server.url, "--collection", "lost")))
    check("the rest is sent to the new one", told(said) == (PASSAGES - there, there), (there, said))
    check("same after the server's end", found == exact["dense"], (code, said))
    code, found, said = run(command(*milvus(server.url)))
    check("what was filled is there", "all passages were there" in said and found == exact["dense"], (code, said))


def other_collections(server, exact):
    named = milvus(server.url, "--collection", "killed_0")
    refused("another encoder", command(*named, encoder="bge-cls"), "holds vectors of another encoder")
    refused("another prompt", command(*named, "--passage-prompt", "x: "), "holds vectors of another encoder")
    refused("another corpus", command(*named, corpus="other.jsonl"), "holds another corpus")
    refused("another index", command(*named, "--milvus-index", "HNSW,M=16"), "has the index FLAT by IP, not HNSW,M=16")
    witness = Witness(server.url)
    witness.client.create_collection("foreign", dimension=8)
    foreign = milvus(server.url, "--collection", "foreign")
    for extra in ([], ["--refill"]):
        refused("another program's", command(*foreign, *extra), "was not made by this program")
    check("which is still there", witness.client.has_collection("foreign"))
    code, found, said = run(command(*named, "--refill"))
    check("filled anew", told(said) == (PASSAGES, 0) and found == exact["dense"], (code, said))


def changed_by_others(server, exact):
    witness, name = Witness(server.url), "killed_1"
    named = milvus(server.url, "--collection", name)
    witness.client.delete(name, ids=list(range(100, 110)))
    code, found, said = run(command(*named))
    check("what was removed is sent again", told(said) == (10, PASSAGES - 10), said)
    check("same after that", found == exact["dense"], (code, said))
    vector = witness.vector(name, 3)
    witness.client.upsert(name, [{"passage": PASSAGES, "vector": vector}])
    refused("a row too many", command(*named), f"holds {PASSAGES + 1} rows where the corpus has {PASSAGES} passages")
    witness.client.delete(name, ids=[PASSAGES])
    witness.client.upsert(name, [{"passage": 7, "vector": [9 * number for number in vector]}])
    refused("a changed vector", command(*named), "its vector is not the corpus's")


def other_indexes(server, exact):
    extra = ["--milvus-index", "HNSW,M=16,efConstruction=200/ef=400"]
    code, found, said = run(command(*milvus(server.url), *extra))
    near = lambda hits, all_hits: all(dict(all_hits).get(id) == score for id, score in hits)
    pairs = zip((found or [])[-FEW:], exact["deep"])
    check("HNSW has exact scores", found and all(near(*pair) for pair in pairs), (code, said))
    # Equal passages may be left out for one another: scores are compared, not ids.
    pairs = zip(found or [], exact["dense"])
    share = sum([score for _, score in one] == [score for _, score in other] for one, other in pairs) / QUERIES
    check("HNSW finds nearly all", share > 0.9, share)


def refusals(server):
    refused("nobody there", command(*milvus(f"http://{HOST}:{free_port()}")), "no Milvus server answers")
    refused("no address", command(*milvus("localhost:19530")), "begins with http://")
    refused("a password in the address", command(*milvus(f"http://root:{SECRET}@{HOST}")), "SURPRISAL_MILVUS_TOKEN")
    refused("no vectors", command(*milvus(server.url), by="bm25"), "bm25 has none")
    with socket.create_server((HOST, 0)) as silent:
        url = f"http://{HOST}:{silent.getsockname()[1]}"
        refused("a server that says nothing", command(*milvus(url)), "had no answer within")


def secrets_and_databases(server, exact):
    code, found, said = run(command(*milvus(server.url)), SURPRISAL_MILVUS_TOKEN=f"root:{SECRET}")
    check("with a token", found == exact["dense"], (code, said))
    kept = [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    check("the token is neither shown nor kept", SECRET not in said and not kept, (said, kept))
    client = Witness(server.url).client
    client.create_database("shelf")
    code, found, said = run(command(*milvus(f"{server.url}/shelf", "--collection", "there")))
    check("in another database", found == exact["dense"], (code, said))
    client.use_database("shelf")
    check("and nowhere else", client.list_collections() == ["there"], client.list_collections())


def encrypted(server, exact):
    certificate = folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"]
        + ["-addext", f"subjectAltName=IP:{HOST}", "-keyout", certificate, "-out", folder / "public.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    with open(certificate, "ab") as file:
        file.write((folder / "public.pem").read_bytes())
    relay = Relay(server.port, certificate=certificate)
    code, found, said = run(command(*milvus(relay.url)), SSL_CERT_FILE=str(folder / "public.pem"))
    check("over TLS", found == exact["dense"], (code, said))
    refused("a certificate of nobody", command(*milvus(relay.url)), "certificate")
    relay.close()


def main():
    corpora()
    exact = {by: run(command(by=by))[1] for by in ("dense", "hybrid")}
    exact["deep"] = run(command(queries="few.jsonl", top=DEEP))[1]
    with Server(folder) as server:
        filled_and_searched(server, exact)
        killed_and_resumed(server, exact)
        server_killed(server, exact)
        other_collections(server, exact)
        changed_by_others(server, exact)
        other_indexes(server, exact)
        refusals(server)
        secrets_and_databases(server, exact)
        if shutil.which("openssl"):
            encrypted(server, exact)
        else:
            print("over TLS: skipped, there is no openssl")
    print(f"milvus: {passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
