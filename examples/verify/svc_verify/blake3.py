"""BLAKE3 with its default 256-bit output, no key and no context (https://c2sp.org/BLAKE3)."""

from functools import lru_cache

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
CHUNK_BYTES, BLOCK_BYTES = 1024, 64
MASK = 0xFFFFFFFF
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def compress(chaining, block, counter, length, flags):
    """One compression. Returns the first eight words of the output."""
    words = [int.from_bytes(block[n : n + 4], "little") for n in range(0, BLOCK_BYTES, 4)]
    state = [*chaining, *IV[:4], counter & MASK, counter >> 32, length, flags]
    for turn in range(7):
        for n, places in enumerate((*COLUMNS, *DIAGONALS)):
            mix(state, places, words[2 * n], words[2 * n + 1])
        if turn < 6:
            words = [words[n] for n in ORDER]
    return [state[n] ^ state[n + 8] for n in range(8)]


def mix(state, places, first, second):
    a, b, c, d = places
    for word, right, left in ((first, 16, 12), (second, 8, 7)):
        state[a] = (state[a] + state[b] + word) & MASK
        state[d] = rotate(state[d] ^ state[a], right)
        state[c] = (state[c] + state[d]) & MASK
        state[b] = rotate(state[b] ^ state[c], left)


def rotate(word, by):
    return (word >> by | word << (32 - by)) & MASK


def chunk(data, counter, root):
    chaining = IV
    blocks = [data[n : n + BLOCK_BYTES] for n in range(0, len(data), BLOCK_BYTES)] or [b""]
    for n, block in enumerate(blocks):
        last = n == len(blocks) - 1
        flags = (CHUNK_START if n == 0 else 0) | (CHUNK_END | root if last else 0)
        chaining = compress(chaining, block.ljust(BLOCK_BYTES, b"\0"), counter, len(block), flags)
    return chaining


def tree(data, counter, root):
    chunks = -(-len(data) // CHUNK_BYTES)
    if chunks <= 1:
        return chunk(data, counter, root)
    left = 1 << ((chunks - 1).bit_length() - 1)
    halves = tree(data[: left * CHUNK_BYTES], counter, 0) + tree(data[left * CHUNK_BYTES :], counter + left, 0)
    return compress(IV, b"".join(word.to_bytes(4, "little") for word in halves), 0, BLOCK_BYTES, PARENT | root)


@lru_cache(maxsize=1024)
def blake3(data):
    """The 32 bytes of the digest."""
    return b"".join(word.to_bytes(4, "little") for word in tree(bytes(data), 0, ROOT))


def digest(data):
    """The digest with its algorithm's name; text is hashed as UTF-8."""
    return "blake3:" + blake3(data.encode() if isinstance(data, str) else data).hex()
