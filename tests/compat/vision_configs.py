"""Other sizes for the checkpoints of tests/fixtures/vision: what processors and towers can be told to do."""

#: Classes on Pillow are followed where there are any; these are on torchvision alone.
WITHOUT_PILLOW = ('kimi_k25', 'phi4_multimodal')
PATCHES = ('glm4v', 'qwen2_5_vl', 'qwen2_vl', 'qwen3_vl')
TILES = ('idefics3', 'smolvlm')
PIXTRALS = ('mistral3', 'pixtral')


def processor_fields(name, draw):
    """Fields of an image processor, drawn; a field that is None is left out."""
    one = draw.choice
    side = one([28, 56, 84])
    fields = {}
    if name == 'llava':
        crop = one([{'height': side, 'width': side}, side])
        fields = dict(size=one([{'shortest_edge': side}, side]), crop_size=crop, resample=one([0, 1, 2, 3, 4, 5]))
        if draw.random() < 0.2:
            fields.update(do_center_crop=False, size={'height': side, 'width': one([42, 70])})
    elif name in ('gemma3', 'paligemma'):
        fields = dict(size={'height': side, 'width': one([28, 70, 112])}, resample=one([0, 2, 3]))
    elif name in ('llava_next', 'llava_onevision'):
        grids = [[side * rows, side * columns] for rows in range(1, 6) for columns in range(1, 6)]
        fields = dict(image_grid_pinpoints=draw.sample(grids, one([3, 6, 12])), size={'height': side, 'width': side})
        if name == 'llava_next':
            fields['crop_size'] = {'height': side, 'width': side}
    elif name in ('aya_vision', 'internvl'):
        fields = dict(size={'height': side, 'width': one([28, 56])}, min_patches=one([1, 2, 3]), max_patches=one([3, 6, 12]))
        fields['crop_to_patches'] = draw.random() < 0.7
    elif name in PATCHES:
        least, most = one([784, 3136, 12544]), one([12544, 50176, 200704])
        fields = dict(patch_size=one([14, 16]), merge_size=one([1, 2]), size=dict(shortest_edge=least, longest_edge=most))
        if name != 'glm4v' and draw.random() < 0.5:
            fields.update(size=None, min_pixels=least, max_pixels=most)
    elif name in TILES:
        side = one([56, 64, 98])
        fields = dict(size={'longest_edge': side * one([1, 2, 3, 4, 5])}, max_image_size={'longest_edge': side})
        fields['do_image_splitting'] = draw.random() < 0.7
    elif name in PIXTRALS:
        fields = dict(size={'longest_edge': one([64, 96, 140, 336, 512])})
    if draw.random() < 0.3:
        fields['image_mean'] = [round(draw.random(), 3) for _ in range(3)]
        fields['image_std'] = [round(0.2 + 0.4 * draw.random(), 3) for _ in range(3)]
    return fields


def beside_fields(name, draw):
    """Fields of the processor around it, which decide sizes too."""
    return dict(patch_size=draw.choice([14, 16]), spatial_merge_size=draw.choice([1, 2])) if name in PIXTRALS else {}


def change_model(name, config, draw):
    """Draws other sizes into a config; what images become stays as the processor of the fixture has it."""
    one = draw.choice
    text, sight = config.get_text_config(), config.vision_config

    def change(part, field, value):
        if hasattr(part, field):
            setattr(part, field, value)

    change(text, 'intermediate_size', one([48, 64, 80, 96]))
    # Their kinds of attention are a list.
    if name not in ('aya_vision', 'gemma3'):
        layers = text.num_hidden_layers + one([0, 1, 2])
        text.num_hidden_layers = layers
        if getattr(text, 'layer_types', None):
            text.layer_types = ['full_attention'] * layers
    if name != 'kimi_k25':
        change(text, 'num_key_value_heads', one([1, 2, text.num_attention_heads]))
    if name == 'qwen3_vl':
        sight.depth = one([3, 4])
        sight.deepstack_visual_indexes = sorted(draw.sample(range(sight.depth), one([1, 2])))
        sight.num_position_embeddings = one([16, 36, 64])
    elif name == 'qwen2_5_vl':
        sight.depth = one([2, 3, 4])
        sight.fullatt_block_indexes = sorted(draw.sample(range(sight.depth), one([1, 2])))
        sight.window_size = one([56, 84, 112])
    elif name in ('glm4v', 'qwen2_vl'):
        sight.depth = one([1, 2, 3])
    elif name == 'kimi_k25':
        sight.num_hidden_layers = one([1, 2, 3])
        sight.pos_emb_height = sight.pos_emb_width = one([4, 8, 12])
    elif name != 'phi4_multimodal':
        sight.num_hidden_layers = one([2, 3, 4])
        sight.intermediate_size = one([40, 64, 96])
        if name not in PIXTRALS:
            sight.hidden_size, sight.num_attention_heads = one([32, 48, 64]), one([2, 4])
    if name == 'llava':
        config.vision_feature_layer = one([-1, -2, -3, [-2, -1]])
        config.multimodal_projector_bias = draw.random() < 0.5
    elif name == 'llava_next':
        config.vision_feature_layer = one([-1, -2])
    elif name == 'internvl':
        sight.use_qk_norm, sight.attention_bias = draw.random() < 0.5, draw.random() < 0.5
        sight.norm_type = one(['layer_norm', 'rms_norm'])
    if draw.random() < 0.3:
        config.tie_word_embeddings = True
        change(text, 'tie_word_embeddings', True)
