"""lm-eval's command line, which knows the model `surprisal`."""


def main() -> None:
    """Registers the model and hands over."""
    import surprisal.lm_eval  # noqa: F401
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()


if __name__ == "__main__":
    main()
