"""Writes the vectors of the chapter on finding passages into the current folder, as numpy.save does."""

import struct


def save(name: str, rows: list[list[float]]) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}\n".encode()
    numbers = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + numbers)


save("passages.npy", [[0.9, 0.4, 0.1], [0.2, 0.9, 0.3], [0.7, 0.3, 0.6]])
save("query.npy", [[0.8, 0.5, 0.2]])
