import { expect, it } from 'vitest';
import { topSelfTimes, type CpuProfile } from './cpu-profile.js';

const node = (id: number, functionName: string, url = '', lineNumber = -1) => ({
  id,
  callFrame: { functionName, url, lineNumber },
});

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)'),
    node(2, '(idle)'),
    node(3, 'search', 'file:///somewhere/project/dist/common/search/maxscore.js', 41),
    node(4, '', 'file:///somewhere/project/node_modules/pg/dist/client.js', 9),
    node(5, '(garbage collector)'),
  ],
  startTime: 1_000_000,
  samples: [3, 3, 2, 4, 5, 3],
  timeDeltas: [0, 1000, 1000, 5000, 2000, 1000],
};

it('sums self time by function, without the time spent waiting', () => {
  expect(topSelfTimes([profile], { name: 'all', from: 0, to: Infinity }, 10)).toEqual([
    { place: 'search dist/common/search/maxscore.js:42', milliseconds: 2, share: 0.4 },
    { place: '(anonymous) node_modules/pg/dist/client.js:10', milliseconds: 2, share: 0.4 },
    { place: '(garbage collector)', milliseconds: 1, share: 0.2 },
  ]);
});

it('counts only what lies in the phase, over all profiles', () => {
  expect(topSelfTimes([profile, profile], { name: 'late', from: 1_007_500, to: 1_009_500 }, 1)).toEqual([
    { place: '(anonymous) node_modules/pg/dist/client.js:10', milliseconds: 3, share: 0.75 },
  ]);
});
