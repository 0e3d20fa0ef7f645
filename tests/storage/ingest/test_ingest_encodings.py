import codecs

import pytest

from agent.errors import RefusedFileError
from storage.ingest.encodings import decode

KOREAN = "연차휴가는 15일입니다. Annual leave is 15 days.\r\n"
WESTERN = "Le congé annuel est de vingt jours, à prendre avant l’été. Où ? Déjà décidé."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (KOREAN.encode(), KOREAN),
        (codecs.BOM_UTF8 + KOREAN.encode(), KOREAN),
        (KOREAN.encode("utf-16"), KOREAN),
        (codecs.BOM_UTF16_BE + KOREAN.encode("utf-16-be"), KOREAN),
        (codecs.BOM_UTF32_LE + KOREAN.encode("utf-32-le"), KOREAN),
        (KOREAN.encode("cp949"), KOREAN),
        (("똠방각하 펲시콜라 " + KOREAN).encode("cp949"), "똠방각하 펲시콜라 " + KOREAN),
        (WESTERN.encode("cp1252"), WESTERN),
        (KOREAN.encode("utf-16-le"), KOREAN),
        ("가격가격, 단가\n".encode("utf-16-be"), "가격가격, 단가\n"),
        (b"plain", "plain"),
    ],
)
def test_text_is_read_as_it_was_written(data, text):
    assert decode(data) == text


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 20,
        b"\x7fELF\x02\x01\x01\x00\x00\x00",
        b"\x89PNG\r\n\x1a\n" + bytes(range(128, 256)) * 8,
        b"\x01\x02\x03\x04\x05\x06 text",
        bytes(range(1, 64)) * 8 + bytes(4),
        bytes([0xC0, 0xFF, 0xFE, 0x90, 0xAA, 0xBB]) * 50,
    ],
)
def test_what_is_no_text_is_refused(data):
    with pytest.raises(RefusedFileError, match="not a text file"):
        decode(data)


def test_a_broken_utf16_file_is_refused_by_what_is_broken():
    with pytest.raises(RefusedFileError, match="utf-16"):
        decode("휴가".encode("utf-16") + b"\x00")
