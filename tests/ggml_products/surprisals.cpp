// The surprisals of some tokens as llama.cpp computes them from a GGUF file, keys and values in f32, as JSON on stdout:
// `surprisals FILE.gguf`. `make.sh` compiles and runs this.

#include <cmath>
#include <cstdio>
#include <vector>

#include "llama.h"

static const int TOKENS = 24;

int main(int, char ** arguments) {
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    llama_model * model = llama_model_load_from_file(arguments[1], llama_model_default_params());
    if (!model) return 2;
    llama_context_params params = llama_context_default_params();
    params.n_ctx = params.n_batch = params.n_ubatch = 64;
    params.n_threads = params.n_threads_batch = 1;
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    llama_context * context = llama_init_from_model(model, params);
    if (!context) return 2;
    const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<llama_token> ids;
    for (int i = 0; i < TOKENS; i++) ids.push_back((3 + i * 7919) % vocabulary);
    llama_batch batch = llama_batch_init(TOKENS, 0, 1);
    for (int i = 0; i < TOKENS; i++) {
        batch.token[i] = ids[i];
        batch.pos[i] = i;
        batch.n_seq_id[i] = 1;
        batch.seq_id[i][0] = 0;
        batch.logits[i] = true;
    }
    batch.n_tokens = TOKENS;
    if (llama_decode(context, batch)) return 2;
    printf("{\n  \"ids\": [");
    for (int i = 0; i < TOKENS; i++) printf("%s%d", i ? ", " : "", ids[i]);
    printf("],\n  \"nll\": [");
    for (int i = 0; i + 1 < TOKENS; i++) {
        const float * logits = llama_get_logits_ith(context, i);
        double highest = logits[0], sum = 0;
        for (int id = 1; id < vocabulary; id++) highest = fmax(highest, logits[id]);
        for (int id = 0; id < vocabulary; id++) sum += exp(logits[id] - highest);
        printf("%s%.9g", i ? ", " : "", highest + log(sum) - logits[ids[i + 1]]);
    }
    printf("]\n}\n");
}
