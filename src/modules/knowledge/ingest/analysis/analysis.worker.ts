import { analyseGroup, chunkIdsOf } from './analyse-document.js';
import type { AnalysedGroup, AnalysisJob } from './analysis.types.js';

/** What a worker thread runs: a batch of groups, so that one hand-over serves many documents. */
export default async function analyse({ idKey, groups }: AnalysisJob): Promise<AnalysedGroup[]> {
  const chunkIdOf = await chunkIdsOf(idKey);
  return groups.map((group) => analyseGroup(group, chunkIdOf));
}
