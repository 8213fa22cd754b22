import { Command, Option } from 'commander';
import { ApiClient } from '../common/client/api-client.js';
import {
  LANES,
  type FoundAt,
  type Lane,
  type RetrievalReply,
  type RetrievedPassage,
} from '../common/client/api-replies.js';
import { loadSettings } from '../common/config/settings.js';
import { print, type Line, type OutputOptions } from './output.js';
import { serverOf, withServerOptions, type ServerOptions } from './server-address.js';
import { wholeNumber } from './whole-number.js';

interface SearchOptions extends OutputOptions, ServerOptions {
  corpus: string[];
  limit: number;
  lane: Lane;
}

/** `svc search`: passages for a question, with the ids that `svc answer` takes. */
export const searchCommand = (): Command =>
  withServerOptions(
    new Command('search')
      .description('find passages for a question, with the ids that svc answer takes')
      .argument('<question>', 'in words')
      .option('--corpus <corpus...>', 'only these corpora', [])
      .option('--limit <number>', 'passages at most', wholeNumber(1, 50), 5)
      .addOption(new Option('--lane <lane>', 'how much the retrieval proves').choices(LANES).default('light')),
  )
    .option('--json', 'print one JSON object')
    .action(async (query: string, options: SearchOptions) => {
      const client = new ApiClient(await serverOf(loadSettings(), options));
      const { corpus: corpusIds, limit, lane } = options;
      const found = await client.post<RetrievalReply>('/v1/retrieve', {
        query,
        corpusIds,
        limit,
        lane,
        synonyms: true,
      });
      print(options, { ok: true, ...found }, () => linesOf(found));
    });

const linesOf = ({ results, meta }: RetrievalReply): Line[] =>
  results.length === 0
    ? [`Nothing was found${meta.note === undefined ? '' : `. ${meta.note}`}`]
    : [...results.flatMap(passageLines), `fit: ${meta.fit}${meta.note === undefined ? '' : `. ${meta.note}`}`];

const passageLines = ({ chunkId, title, corpusId, docId, location, content }: RetrievedPassage): Line[] => [
  { text: [`${chunkId}  ${title ?? docId}`, `${corpusId}/${docId}`, ...placeOf(location)].join(', '), style: 'bold' },
  content.trimEnd(),
  '',
];

/** Where in its file a passage stands. */
function placeOf({ to, ...from }: FoundAt = {}): string[] {
  const textOf = (place: FoundAt): string =>
    Object.entries(place)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ');
  const start = textOf(from);
  if (start === '') return [];
  return [to === undefined ? start : `${start} to ${textOf(to)}`];
}
