import { problem } from '../../../common/problem/problem.js';

export class IngestUnknown extends problem<{ ingestId: string }>(404, 'IngestUnknown', 'There is no such ingest') {}

export class DocumentUnknown extends problem<{ corpusId: string; docId: string }>(
  404,
  'DocumentUnknown',
  'There is no such document',
) {}

export class CorpusLanguageFixed extends problem<{ corpusId: string; language: string }>(
  409,
  'CorpusLanguageFixed',
  'The corpus has another language',
) {}

export class AnalysisTooCostly extends problem(422, 'AnalysisTooCostly', 'The documents could not be analysed') {}
