"""Model packs of MedCAT that hold a few terms, made by MedCAT itself."""

from collections.abc import Sequence
from pathlib import Path

from tests.fakes_concepts import Term


def saved(terms: Sequence[Term], folder: Path) -> Path:
    """Save a model pack of these terms; returns its folder, beside which lies the same as a ZIP."""
    import numpy as np
    import pandas  # a second of the processor, which only who makes a pack needs
    from medcat.cat import CAT
    from medcat.config import Config
    from medcat.model_creation.cdb_maker import CDBMaker
    from medcat.vocab import Vocab

    config = Config()
    config.general.nlp.provider = "regex"
    config.general.spell_check = False
    rows = [
        {"cui": id, "name": called, "name_status": "P" if called == name else "A", "type_ids": kind}
        for id, name, kind, others in terms
        for called in (name, *others)
    ]
    cdb = CDBMaker(config).prepare_csvs([pandas.DataFrame(rows)])
    vocab = Vocab()
    vocab.add_word("patient", cnt=1, vec=np.ones(3))
    return Path(CAT(cdb, vocab, config).save_model_pack(str(folder), "tiny", add_hash_to_pack_name=False))
