import { describe, expect, it } from 'vitest';
import { findCosignature, isCosignature, parseWitnessKey } from '../../../src/evidence/cosignature.js';
import { noteVerifierKey, parseNote, parseNoteVerifierKey } from '../../../src/evidence/signed-note.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { cosign, witnessKeyOf } from '../../kit/cosign.js';
import { signNote } from '../../kit/signed-forms.js';

const key = SigningKey.generate();
const other = SigningKey.generate();

describe('cosignatures', () => {
  // The example of C2SP tlog-cosignature, of which the key is not published.
  const PUBLISHED =
    'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
    '\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
    '\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n';
  const text = 'log.example\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
  const witness = { name: 'witness.example/w1', key: other.publicKey };

  it('differ from other lines by their length', () => {
    expect(parseNote(PUBLISHED).signatures.map(isCosignature)).toEqual([false, true]);
  });

  it('hold over the text and the time, under the key of the witness', () => {
    const note = parseNote(signNote(text, 'log.example', key) + cosign(text, witness.name, other, 1679315147));
    expect(findCosignature(note, witness)?.seconds).toBe(1679315147);
    const signed = `cosignature/v1\ntime 1679315147\n${text}`;
    expect(other.publicKey.verify(Buffer.from(signed), note.signatures[1]!.signature.subarray(8))).toBe(true);
    expect(findCosignature(note, { ...witness, key: key.publicKey })).toBeUndefined();
    expect(findCosignature({ ...note, text: text.replace('1', '2') }, witness)).toBeUndefined();
  });

  it('have a verifier key of their own type', () => {
    expect(parseWitnessKey(witnessKeyOf(witness.name, other))).toMatchObject({
      name: witness.name,
      key: { kid: other.kid },
    });
    expect(() => parseWitnessKey(noteVerifierKey('w', key.publicKey.bytes))).toThrow('type 0x04');
    expect(() => parseNoteVerifierKey(witnessKeyOf('w', key))).toThrow('not an Ed25519 note');
    const changed = witnessKeyOf(witness.name, other).replace(/\+[0-9a-f]{8}/, '+00000000');
    expect(() => parseWitnessKey(changed)).toThrow('does not fit');
  });
});
