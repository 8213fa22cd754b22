import { UserError } from '../../common/user-error.js';
import { type Conversion, isMembers, NotThisFormat, settle } from './converters/conversion.js';
import { convertJsonLines } from './converters/jsonl.js';
import { convertLangGraph } from './converters/langgraph.js';
import { convertLetta } from './converters/letta.js';
import { convertMem0, convertMem0History } from './converters/mem0.js';
import { convertTemporalGraph } from './converters/temporal-graph.js';

/** What `svc memory import` reads: a pack, or a dump of another product. docs/memory-packs.md. */
export const DUMP_FORMATS = ['pack', 'mem0', 'mem0-history', 'letta', 'zep', 'graphiti', 'langgraph', 'jsonl'] as const;
export type DumpFormat = (typeof DUMP_FORMATS)[number];

const OF_JSON: Partial<Record<DumpFormat, (dump: unknown) => Conversion>> = {
  mem0: convertMem0,
  'mem0-history': convertMem0History,
  letta: convertLetta,
  zep: convertTemporalGraph,
  graphiti: convertTemporalGraph,
  langgraph: convertLangGraph,
};

interface FilePack {
  pack: Record<string, unknown>;
  notes: string[];
}

/** A file as a pack, and what of it was left out. @throws UserError */
export function packOfFile(text: string, format: DumpFormat): FilePack {
  try {
    if (format === 'pack') return { pack: packIn(parse(text)), notes: [] };
    const converted = format === 'jsonl' ? convertJsonLines(text) : OF_JSON[format]!(parse(text));
    const { notes, ...lists } = settle(converted);
    return { pack: { schema: 'svc.pack/1', source: { product: format, version: '' }, ...lists }, notes };
  } catch (error) {
    if (error instanceof NotThisFormat)
      throw new UserError(`The file is not of the format ${format}: ${error.message}`);
    throw error;
  }
}

/** A pack, or an answer of POST /v1/memory/export. */
function packIn(value: unknown): Record<string, unknown> {
  if (!isMembers(value)) throw new NotThisFormat('It is not a JSON object');
  return isMembers(value.pack) && value.schema === undefined ? value.pack : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new NotThisFormat((error as Error).message);
  }
}
