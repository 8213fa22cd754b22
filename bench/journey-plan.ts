import { globSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A question, and the quoted text that must stand in the passage that answers it. */
export interface PlannedQuestion {
  ask: string;
  document: string;
  passage: string;
}

/** A fact to store, and a question that asks for it in other words. */
export interface PlannedFact {
  entity: string;
  key: string;
  value: string;
  ask: string;
}

/** What questions.json holds. */
interface QuestionsFile {
  root?: string;
  documents?: string[];
  questions: PlannedQuestion[];
  without_answer?: string[];
  facts: PlannedFact[];
  replaced: Pick<PlannedFact, 'entity' | 'key' | 'value'>;
  changed: { document: string; from: string; to: string; question: number };
}

/** What a journey goes through. */
export interface JourneyPlan extends Required<Omit<QuestionsFile, 'root' | 'documents'>> {
  name: string;
  documents: { docId: string; title: string; content: string }[];
}

const FILE = 'questions.json';
const DOCUMENTS = ['**/*.md', '**/*.txt', '**/*.html'];

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };
const object = (required: Record<string, object>, optional: Record<string, object> = {}): object => ({
  ...{ type: 'object', properties: { ...required, ...optional } },
  ...{ required: Object.keys(required), additionalProperties: false },
});
const validate = new Ajv2020({ allErrors: true }).compile<QuestionsFile>(
  object(
    {
      questions: {
        ...{ type: 'array', minItems: 1 },
        items: object({ ask: text, document: text, passage: text }),
      },
      facts: { type: 'array', minItems: 1, items: object({ entity: text, key: text, value: text, ask: text }) },
      replaced: object({ entity: text, key: text, value: text }),
      changed: object({ document: text, from: text, to: text, question: { type: 'integer', minimum: 0 } }),
    },
    { root: text, documents: texts, without_answer: texts },
  ),
);

/**
 * Reads a folder of documents with its questions.json.
 * @throws Error naming what is wrong with the file, or a quoted text that stands in no such document
 */
export function readJourney(folder: string): JourneyPlan {
  const file: unknown = JSON.parse(readFileSync(join(folder, FILE), 'utf8'));
  if (!validate(file))
    throw new Error(
      `${FILE}: ${validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')}`,
    );
  const { root = '.', documents = DOCUMENTS, without_answer = [], ...rest } = file;
  const cwd = resolve(folder, root);
  const found = documents.flatMap((pattern) => globSync(pattern, { cwd }).sort());
  const plan: JourneyPlan = {
    ...{ ...rest, without_answer, name: basename(resolve(folder)) },
    documents: [...new Set(found)].map((path) => readDocument(cwd, path)),
  };
  for (const question of plan.questions) requireQuote(plan, question.document, question.passage);
  requireQuote(plan, plan.changed.document, plan.changed.from);
  if (!plan.questions[plan.changed.question]) throw new Error(`${FILE}: changed.question is none of the questions`);
  return plan;
}

function readDocument(root: string, path: string): JourneyPlan['documents'][number] {
  const content = readFileSync(join(root, path), 'utf8');
  const [, heading] = /^#\s+(.+)$/m.exec(content) ?? /<title>([^<]+)</.exec(content) ?? [];
  const docId = relative(root, join(root, path));
  return { docId, content, title: heading ?? basename(path).replace(/\.\w+$/, '') };
}

function requireQuote({ documents }: JourneyPlan, docId: string, quote: string): void {
  const document = documents.find((one) => one.docId === docId);
  if (!document) throw new Error(`${FILE}: there is no document ${docId}`);
  if (!holds(document.content, quote)) throw new Error(`${FILE}: ${docId} does not hold "${quote}"`);
}

/** Whether a text has a quoted one in it, whatever its line breaks and marks. */
export const holds = (whole: string, quote: string): boolean => plain(whole).includes(plain(quote));

const plain = (marked: string): string => marked.replace(/[\s`*_>|]+/g, ' ').trim();
