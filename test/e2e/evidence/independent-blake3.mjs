/** BLAKE3 with 32 bytes of output, written from its specification (https://c2sp.org/BLAKE3). Slow and plain. */
const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const [CHUNK_START, CHUNK_END, PARENT, ROOT] = [1, 2, 4, 8];
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
const rotate = (word, by) => ((word >>> by) | (word << (32 - by))) >>> 0;

function compress(chain, block, counter, length, flags) {
  const v = [...chain, ...IV.slice(0, 4), counter >>> 0, Math.floor(counter / 2 ** 32), length, flags];
  let words = block;
  for (let round = 0; round < 7; round++) {
    QUARTERS.forEach(([a, b, c, d], n) => {
      v[a] = (v[a] + v[b] + words[2 * n]) >>> 0;
      v[d] = rotate(v[d] ^ v[a], 16);
      v[c] = (v[c] + v[d]) >>> 0;
      v[b] = rotate(v[b] ^ v[c], 12);
      v[a] = (v[a] + v[b] + words[2 * n + 1]) >>> 0;
      v[d] = rotate(v[d] ^ v[a], 8);
      v[c] = (v[c] + v[d]) >>> 0;
      v[b] = rotate(v[b] ^ v[c], 7);
    });
    words = PERMUTATION.map((from) => words[from]);
  }
  return v.slice(0, 8).map((word, n) => (word ^ v[n + 8]) >>> 0);
}

function wordsOf(bytes) {
  const padded = Buffer.alloc(64);
  padded.set(bytes);
  return Array.from({ length: 16 }, (_, n) => padded.readUInt32LE(4 * n));
}

function chunkValue(bytes, counter, rootFlag) {
  const blocks = Math.max(1, Math.ceil(bytes.length / 64));
  let chain = IV;
  for (let n = 0; n < blocks; n++) {
    const block = bytes.subarray(64 * n, 64 * n + 64);
    const flags = (n === 0 ? CHUNK_START : 0) | (n === blocks - 1 ? CHUNK_END | rootFlag : 0);
    chain = compress(chain, wordsOf(block), counter, block.length, flags);
  }
  return chain;
}

/** The left subtree is the largest power of two of whole chunks that leaves something for the right one. */
function treeValue(bytes, counter, rootFlag) {
  if (bytes.length <= 1024) return chunkValue(bytes, counter, rootFlag);
  let left = 1;
  while (left * 2 * 1024 < bytes.length) left *= 2;
  const children = [
    ...treeValue(bytes.subarray(0, left * 1024), counter, 0),
    ...treeValue(bytes.subarray(left * 1024), counter + left, 0),
  ];
  return compress(IV, children, 0, 64, PARENT | rootFlag);
}

export function blake3(bytes) {
  const out = Buffer.alloc(32);
  treeValue(Buffer.from(bytes), 0, ROOT).forEach((word, n) => out.writeUInt32LE(word, 4 * n));
  return out;
}
