import { expect, it } from 'vitest';
import { inLowerCase } from './lower-case.js';

it.each([
  ['Kate@Corp.com', 'kate@corp.com'],
  ['\u212Aate@corp.com', '\u212Aate@corp.com'],
  ['\u0130da@corp.com', '\u0130da@corp.com'],
  ['ÄNNE@corp.com', 'Änne@corp.com'],
  ['Ωmega', 'Ωmega'],
])('%s becomes %s', (text, lower) => {
  expect(inLowerCase(text)).toBe(lower);
});
