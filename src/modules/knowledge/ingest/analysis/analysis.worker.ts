import { analyseGroup } from './analyse-document.js';
import type { AnalysedGroup, AnalysisGroup } from './analysis.types.js';

/** What a worker thread runs: a batch of groups, so that one hand-over serves many documents. */
export default function analyse(groups: readonly AnalysisGroup[]): AnalysedGroup[] {
  return groups.map(analyseGroup);
}
