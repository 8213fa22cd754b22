/** The kinds of files whose text is read. */
export const FILE_KINDS = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  html: 'text/html',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  email: 'message/rfc822',
  text: 'text/plain',
} as const;
export type FileKind = keyof typeof FILE_KINDS;

/** By name, without the names that every object has. */
function mapOf<V>(entries: Readonly<Record<string, V>>): ReadonlyMap<string, V> {
  return new Map(Object.entries(entries));
}

/** Kinds that are text; which of them a text is, its name or its type says. */
const TEXTS: readonly FileKind[] = ['html', 'markdown', 'csv', 'tsv', 'json', 'email', 'text'];

const ENDINGS = mapOf<FileKind>({
  ...{ pdf: 'pdf', docx: 'docx', docm: 'docx', xlsx: 'xlsx', xlsm: 'xlsx', pptx: 'pptx', pptm: 'pptx', epub: 'epub' },
  ...{ rtf: 'rtf', html: 'html', htm: 'html', xhtml: 'html', md: 'markdown', markdown: 'markdown', csv: 'csv' },
  ...{ tsv: 'tsv', tab: 'tsv', json: 'json', eml: 'email', txt: 'text', text: 'text' },
});

/** Other names of the same kinds; of macros the document is read and nothing is run. */
const TYPES = mapOf<FileKind>({
  ...Object.fromEntries(Object.entries(FILE_KINDS).map(([kind, type]) => [type, kind as FileKind])),
  'application/x-pdf': 'pdf',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  'text/rtf': 'rtf',
  'application/xhtml+xml': 'html',
  'text/x-markdown': 'markdown',
  'application/csv': 'csv',
  'text/json': 'json',
});

/** What says nothing of what a file is: each with the kinds that it is also said of. */
const VAGUE = mapOf<readonly FileKind[] | 'any'>({
  'application/octet-stream': 'any',
  'binary/octet-stream': 'any',
  'application/zip': ['docx', 'xlsx', 'pptx', 'epub'],
  'application/x-zip-compressed': ['docx', 'xlsx', 'pptx', 'epub'],
  'text/plain': TEXTS,
  // What browsers on Windows say of CSV.
  'application/vnd.ms-excel': ['csv'],
});

/** What files are that cannot be read, by what their bytes say, with the remedy. */
const OTHERS = mapOf<string>({
  'application/x-cfb':
    'an Office file of the old binary form, or an encrypted one; save it without a password as DOCX, XLSX or PPTX',
  'application/zip': 'an archive; send the files in it one by one',
});

/** What is said of a file, and what its bytes say: the type that `file-type` found, or that they are text. */
interface KindSigns {
  readonly fileName: string | null;
  /** With its parameters. */
  readonly mediaType: string | null;
  /** Undefined where the bytes have no sign of a kind. */
  readonly found: string | undefined;
}

type KindFinding = { readonly kind: FileKind } | { readonly reason: string };

/**
 * Finds what a file is by its bytes, and holds that against its name and its stated type. Of a text, name and type say
 * which it is; where both say nothing it is text.
 */
export function kindOf({ fileName, mediaType, found }: KindSigns): KindFinding {
  const binary = found === undefined ? undefined : TYPES.get(found);
  if (found !== undefined && binary === undefined && !isTextType(found)) return { reason: strange(found) };
  const labels = labelsOf(fileName, mediaType);
  const kind = binary ?? textKind(labels);
  const says = contradictions(labels, kind);
  if (says.length === 0) return { kind };
  if (labels.named === kind && binary === undefined)
    return { reason: `The name of the file says ${kind}, but ${says.join(' and ')}; send it with one of the two.` };
  const is = binary ?? 'text, or damaged,';
  return { reason: `The file is ${is} by its bytes, but ${says.join(' and ')}; send it as what it is.` };
}

/** What is said of a file; undefined where nothing is, or nothing that says which kind it is. */
interface Labels {
  readonly fileName: string | null;
  readonly named: FileKind | undefined;
  readonly essence: string | undefined;
  readonly stated: FileKind | undefined;
}

function labelsOf(fileName: string | null, mediaType: string | null): Labels {
  const ending = /\.([A-Za-z0-9]{1,10})$/.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const essence = essenceOf(mediaType);
  const stated = essence === undefined || VAGUE.has(essence) ? undefined : TYPES.get(essence);
  return { fileName, named: ENDINGS.get(ending), essence, stated };
}

/** Which text it is: the narrower of name and type says. */
function textKind({ named, stated }: Labels): FileKind {
  const label = named === 'text' ? (stated ?? named) : (named ?? stated ?? 'text');
  return TEXTS.includes(label) ? label : 'text';
}

function contradictions({ fileName, named, essence, stated }: Labels, kind: FileKind): string[] {
  const says: string[] = [];
  if (named !== undefined && !agrees(named, kind)) says.push(`its name says ${named} (${fileName})`);
  if (stated !== undefined && !agrees(stated, kind)) says.push(`its type says ${stated} (${essence})`);
  if (essence !== undefined && !mayBe(VAGUE.get(essence), kind)) says.push(`its type says ${essence}`);
  return says;
}

/** Whether what is said of a file holds for what it is. */
function agrees(said: FileKind, kind: FileKind): boolean {
  return said === kind || (said === 'text' && TEXTS.includes(kind));
}

const mayBe = (kinds: readonly FileKind[] | 'any' | undefined, kind: FileKind): boolean =>
  kinds === undefined || kinds === 'any' || kinds.includes(kind);

/** XML is text; whether it is HTML, its name or type says. */
const isTextType = (type: string): boolean => type === 'application/xml' || type.startsWith('text/');

const strange = (type: string): string => {
  const other = OTHERS.get(type);
  return `The file is ${other ?? `${type} by its bytes, which is none of the kinds that are read`}.`;
};

const essenceOf = (mediaType: string | null): string | undefined =>
  mediaType?.split(';', 1)[0]!.trim().toLowerCase() || undefined;

/** `charset` of a media type (RFC 9110, 8.3.2). */
export const charsetOf = (mediaType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i.exec(mediaType ?? '')?.[1];
