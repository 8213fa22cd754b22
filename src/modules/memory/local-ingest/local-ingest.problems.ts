import { problem } from '../../../common/problem/problem.js';
import type { CAPS } from './local-ingest.dto.js';

type Caps = { [Name in keyof typeof CAPS]: number };

export class LocalIngestTooLarge extends problem<Caps & { exceeded: keyof Caps }>(
  413,
  'LocalIngestTooLarge',
  'The documents are too large',
) {}

export class DocumentNotProcessable extends problem<{ doc_id: string; index: number }>(
  422,
  'DocumentNotProcessable',
  'A document cannot be processed',
) {}
