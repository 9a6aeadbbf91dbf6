"""What filters are made of, as far as tasks' own filters use it."""


class Filter:
    def __init__(self, **kwargs):
        pass

    def apply(self, resps, docs):
        return resps
