"""Changes of the inputs of a run. Each gives the config before, and what makes the change."""
from small_run import choices, config, rows, usual

def corrected_golds(run, chance):
    own = rows()
    for index in chance.sample(range(len(own)), chance.randint(1, len(own))):
        own[index]['answer'] = 'ab'[own[index]['answer'] == 'a']
    return usual(), lambda: run.write_rows('one', own)


def moved_rows(run, chance):
    """Rows of two data sets with the same columns and templates: the border between them moves."""
    kinds = [None, lambda index: dict(idx=index), lambda index: dict(idx=index, subdivision='x')]
    own = rows(count=24, more=chance.choice(kinds))
    before, after = chance.sample(range(1, 24), 2)

    def write(border):
        run.write_rows('one', own[:border])
        run.write_rows('two', own[border:])

    write(before)
    return config(choices('one'), choices('two', 'data/two.jsonl')), lambda: write(after)


def swapped_files(run, chance):
    def swap():
        run.write_rows('one', rows(first=50))
        run.write_rows('two', rows())

    return usual(), swap


def swapped_names(run, chance):
    def swap():
        run.write_config(config(choices('two'), choices('one', 'data/two.jsonl')))

    return config(choices('one'), choices('two', 'data/two.jsonl')), swap


def colliding_names(run, chance):
    """Two names that are one as files."""
    pair = chance.choice([('a/b', 'a_b'), ('one', 'one'), ('One', 'one'), ('a b', 'a_b')])
    text = config(choices(pair[0]), choices(pair[1], 'data/two.jsonl', end=chance.choice(['the ', 'a '])))
    return usual(), lambda: run.write_config(text)


def other_template(run, chance):
    return usual(), lambda: run.write_config(usual().replace('the ', 'a '))


CHANGES = [corrected_golds, moved_rows, moved_rows, swapped_files, swapped_names, colliding_names, other_template]
