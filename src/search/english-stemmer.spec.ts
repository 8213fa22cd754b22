import { expect, test } from 'vitest';
import { stemEnglish } from './english-stemmer.js';

/** Pairs from the sample vocabulary and the exception lists of the algorithm's description. */
const SAMPLES: Record<string, string> = {
  consign: 'consign',
  consigned: 'consign',
  consistency: 'consist',
  consolation: 'consol',
  consolatory: 'consolatori',
  conspiracies: 'conspiraci',
  knackeries: 'knackeri',
  knaves: 'knave',
  knightly: 'knight',
  knots: 'knot',
  adoption: 'adopt',
  hopping: 'hop',
  hoping: 'hope',
  luxuriated: 'luxuri',
  ties: 'tie',
  cries: 'cri',
  gas: 'gas',
  gaps: 'gap',
  cry: 'cri',
  by: 'by',
  say: 'say',
  youth: 'youth',
  generalization: 'general',
  communism: 'communism',
  skies: 'sky',
  proceed: 'proceed',
  rational: 'ration',
  falling: 'fall',
  bed: 'bed',
  agreed: 'agre',
};

test.each(Object.entries(SAMPLES))('%s is stemmed to %s', (word, stem) => {
  expect(stemEnglish(word)).toBe(stem);
});
