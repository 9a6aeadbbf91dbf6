"""Writes tests/fixtures/images: small images of many kinds, and what Pillow 13 makes of each.

Run it in the root of the repository, with numpy and Pillow:

    python tests/compat/images.py
"""

import hashlib
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo

FOLDER = Path("tests/fixtures/images")
WIDTH, HEIGHT = 37, 23
ORIENTATION = 0x112
XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    b'<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
)
random = np.random.default_rng(11)
files = {}


def smooth(channels, bits=8, seed=0):
    """Waves with a little noise, (height, width, channels)."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    waves = [
        0.5 + 0.5 * np.sin(x * (0.13 + 0.07 * k) + seed) * np.cos(y * (0.11 + 0.05 * k) - k)
        for k in range(channels)
    ]
    most = 2**bits - 1
    levels = np.stack(waves, -1) * most
    levels = np.clip(levels + random.integers(0, 3, levels.shape), 0, most)
    return levels.astype(np.uint16 if bits > 8 else np.uint8)


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(depth, colour_type, rows, extra=b""):
    """A PNG of a kind that Pillow does not write."""
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour_type, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def packed(levels, depth):
    """Rows of levels of less than a byte."""
    rows = []
    for row in levels:
        bits = "".join(format(int(level), f"0{depth}b") for level in row)
        bits += "0" * (-len(bits) % 8)
        rows.append(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)))
    return rows


def wide(levels):
    """Rows of levels of two bytes."""
    return [row.astype(">u2").tobytes() for row in levels.reshape(HEIGHT, -1)]


def saved(image, kind, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def turned(orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return exif


def over_white(image):
    """As transformers' convert_to_rgb does it with an image object."""
    if "A" in image.getbands() or image.info.get("transparency") is not None:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def sha256(image):
    return hashlib.sha256(image.tobytes()).hexdigest()


def write_pngs():
    gray = smooth(1, 16)
    files["gray16.png"] = png(16, 0, wide(gray))
    low = gray.copy()
    low[:, ::2] = low[:, ::2] % 300
    files["gray16_low.png"] = png(16, 0, wide(low))
    files["rgb16.png"] = png(16, 2, wide(smooth(3, 16)))
    files["rgba16.png"] = png(16, 6, wide(smooth(4, 16)))
    files["la16.png"] = png(16, 4, wide(smooth(2, 16)))
    for depth in (1, 2, 4):
        files[f"gray{depth}.png"] = png(depth, 0, packed(smooth(1)[..., 0] >> (8 - depth), depth))
        palette = chunk(b"PLTE", bytes(random.integers(0, 256, 3 * 2**depth, dtype=np.uint8)))
        rows = packed(smooth(1)[..., 0] >> (8 - depth), depth)
        files[f"palette{depth}.png"] = png(depth, 3, rows, palette)
        rows = packed(smooth(1)[..., 0] >> (8 - depth), depth)
        files[f"palette{depth}_alpha.png"] = png(depth, 3, rows, palette + chunk(b"tRNS", bytes([0, 128])))
    eight = smooth(1)[..., 0]
    key = struct.pack(">H", int(eight[3, 4]))
    files["gray_key.png"] = png(8, 0, [row.tobytes() for row in eight], chunk(b"tRNS", key))
    colours = smooth(3)
    key = struct.pack(">HHH", *map(int, colours[3, 4]))
    files["rgb_key.png"] = png(8, 2, [row.tobytes() for row in colours], chunk(b"tRNS", key))
    key = struct.pack(">H", int(gray[3, 4, 0]))
    files["gray16_key.png"] = png(16, 0, wide(gray), chunk(b"tRNS", key))
    files["rgb16_key.png"] = png(16, 2, wide(smooth(3, 16)), chunk(b"tRNS", struct.pack(">HHH", 1, 2, 3)))


def write_others():
    rgb = Image.fromarray(smooth(3, seed=1))
    rgba = Image.fromarray(smooth(4, seed=2))
    gray = Image.fromarray(smooth(1, seed=3)[..., 0])
    files["lossless.webp"] = saved(rgb, "WEBP", lossless=True)
    files["lossless_alpha.webp"] = saved(rgba, "WEBP", lossless=True, exact=True)
    files["lossy.webp"] = saved(rgb, "WEBP", quality=80)
    files["lossy_alpha.webp"] = saved(rgba, "WEBP", quality=80)
    files["rgb.png"] = saved(rgb, "PNG")
    files["rgb.bmp"] = saved(rgb, "BMP")
    files["gray.bmp"] = saved(gray, "BMP")
    files["palette.bmp"] = saved(rgb.quantize(16), "BMP")
    files["one_bit.bmp"] = saved(gray.convert("1"), "BMP")
    files["rgba.bmp"] = saved(rgba, "BMP")
    files["first.gif"] = saved(rgb.quantize(64), "GIF")
    files["key.gif"] = saved(rgb.quantize(32), "GIF", transparency=5)
    frames = [Image.fromarray(np.roll(smooth(3, seed=1), 3 * k, 1)).quantize(32) for k in range(4)]
    options = {"save_all": True, "append_images": frames[1:], "duration": 50}
    files["frames.gif"] = saved(frames[0], "GIF", disposal=0, **options)
    frames = [frame.copy() for frame in frames]
    options["append_images"] = frames[1:]
    files["frames_key.gif"] = saved(frames[0], "GIF", disposal=2, transparency=3, **options)
    files["gray.gif"] = saved(gray, "GIF")
    files["gray.jpg"] = saved(gray, "JPEG")
    files["cmyk.jpg"] = saved(rgb.convert("CMYK"), "JPEG", quality=90)
    files["fine.jpg"] = saved(rgb, "JPEG", quality=95, subsampling=0)
    files["progressive.jpg"] = saved(rgb, "JPEG", quality=85, progressive=True)
    files["half.jpg"] = saved(rgb, "JPEG", quality=75, subsampling=1)
    for orientation in range(1, 9):
        files[f"turned{orientation}.png"] = saved(rgb, "PNG", exif=turned(orientation))
    files["turned.jpg"] = saved(rgb, "JPEG", exif=turned(8), quality=90)
    files["turned.webp"] = saved(rgb, "WEBP", lossless=True, exif=turned(8))
    files["xmp.jpg"] = saved(rgb, "JPEG", xmp=XMP, quality=90)
    files["xmp.webp"] = saved(rgb, "WEBP", xmp=XMP, lossless=True)
    text = PngInfo()
    text.add_itxt("XML:com.adobe.xmp", XMP.decode())
    files["xmp.png"] = saved(rgb, "PNG", pnginfo=text)


def expected(name, content):
    """What Pillow makes of a file; of lossy WebP the pixels are kept, too."""
    image = Image.open(io.BytesIO(content))
    upright = ImageOps.exif_transpose(image)
    rgb, white = upright.convert("RGB"), over_white(upright)
    if name.startswith("lossy"):
        rgb.save(FOLDER / f"decoded/{name}.rgb.png", optimize=True)
        white.save(FOLDER / f"decoded/{name}.over_white.png", optimize=True)
    told = {
        "mode": image.mode,
        "size": list(rgb.size),
        "rgb_sha256": sha256(rgb),
        "over_white_sha256": sha256(white),
    }
    count = getattr(image, "n_frames", 1)
    if count > 1:
        told["frames_sha256"] = []
        for frame in range(count):
            image.seek(frame)
            told["frames_sha256"].append(sha256(over_white(image)))
    return told


(FOLDER / "decoded").mkdir(parents=True, exist_ok=True)
write_pngs()
write_others()
for name, content in files.items():
    (FOLDER / name).write_bytes(content)
images = {name: expected(name, content) for name, content in files.items()}
text = json.dumps({"pillow": PIL.__version__, "images": images}, indent=1)
(FOLDER / "decode.json").write_text(text + "\n")
