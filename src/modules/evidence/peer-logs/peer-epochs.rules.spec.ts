import { describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { blake3 } from '../../../evidence/digest.js';
import { KeyChain } from '../../../evidence/key-chain.js';
import { logLeafHash } from '../../../evidence/log-entry.js';
import { epochOrigin, type LogEpoch } from '../../../evidence/log-epoch.js';
import { leafHash, nodeHash } from '../../../evidence/merkle.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { followEpochs } from './peer-epochs.rules.js';
import { signCheckpoint, signEpoch } from '../../../../test/kit/signed-forms.js';

const NAME = 'a.example/log';
const key = SigningKey.generate();
const chain = new KeyChain([{ key: key.publicKey }]);
const root = (text: string) => leafHash(Buffer.from(text));
const origin = (epoch: number) => epochOrigin(NAME, epoch);
const headOf = (epoch: number, size: number, text = `${size}`) =>
  signCheckpoint(origin(epoch), { size, root: root(text) }, key);
const seen = (epoch: number, size: number) => ({ origin: origin(epoch), size, root: root(`${size}`) });

const began = (epoch: number, changes: Partial<LogEpoch> = {}, by = key) =>
  signEpoch(
    {
      ...{ origin: origin(epoch), epoch, previousOrigin: origin(epoch - 1) },
      ...{ restored: headOf(epoch - 1, 5), lastKnown: headOf(epoch - 1, 9), ...changes },
    },
    { seq: 1, prev: null },
    by,
  );

/** The head of two leaves of a log that a record begins, and what leads to it. */
function shown(record: ReturnType<typeof began>, ...before: ReturnType<typeof began>[]) {
  const rest = root('the rest');
  const head = { size: 2, root: nodeHash(logLeafHash('execution', blake3(record.cose)), rest) };
  const epochs = [...before, record].map(({ cose }) => Buffer.from(cose).toString('base64'));
  return {
    head: parseCheckpoint(signCheckpoint(record.payload.subject, head, key)),
    news: { epochs, epochPath: [rest] },
  };
}
const follow = (from: ReturnType<typeof seen>, { head, news }: ReturnType<typeof shown>, by = chain) =>
  followEpochs(from, head, news, by);

describe('a log that begins again', () => {
  it('is followed by the records of its epochs, one after the other', () => {
    expect(follow(seen(1, 8), shown(began(2)))).toEqual({ lost: 3 });
    expect(follow(seen(1, 4), shown(began(2)))).toEqual({ lost: 0 });
    expect(follow(seen(1, 20), shown(began(2, { lastKnown: null })))).toEqual({ lost: 15 });
    expect(follow(seen(1, 8), shown(began(3), began(2)))).toEqual({ lost: 3 });
  });

  it('is rolled back where it had gone further than it says, or an earlier epoch comes again', () => {
    expect(follow(seen(1, 10), shown(began(2)))).toMatchObject({ state: 'rolled_back' });
    expect(follow({ ...seen(1, 9), root: root('other') }, shown(began(2)))).toMatchObject({ state: 'rolled_back' });
    expect(follow(seen(3, 8), shown(began(2)))).toMatchObject({ state: 'rolled_back' });
  });

  it('is split where no signed record leads to it', () => {
    expect(follow(seen(1, 8), shown(began(3)))).toMatchObject({ state: 'split' });
    expect(follow(seen(1, 8), shown(began(2, {}, SigningKey.generate())))).toMatchObject({ state: 'split' });
    const { head } = shown(began(2));
    expect(followEpochs(seen(1, 8), head, { epochs: [], epochPath: [] }, chain)).toMatchObject({ state: 'split' });
    expect(followEpochs(seen(1, 8), head, { epochs: ['nonsense'], epochPath: [] }, chain)).toMatchObject({
      state: 'split',
    });
    const other = shown(began(2, { lastKnown: null })).news;
    expect(followEpochs(seen(1, 8), head, other, chain)).toMatchObject({ state: 'split' });
  });
});
