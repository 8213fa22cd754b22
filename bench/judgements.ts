import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentInput } from '../src/common/client/api-replies.js';

/** A document of a collection. */
export interface CollectionDocument {
  id: string;
  title: string;
  text: string;
}

/** A query and what is relevant to it: grade by document, higher is more relevant, 0 is not. */
export interface JudgedQuery {
  id: string;
  text: string;
  grades: ReadonlyMap<string, number>;
}

/** A retrieval collection with relevance judgements. */
export interface Collection {
  documents: CollectionDocument[];
  /** Only queries with at least one positive grade: the others cannot be measured. */
  queries: JudgedQuery[];
}

/**
 * Reads corpus.jsonl {id, title, text}, queries.jsonl {id, text} and qrels.tsv (query id, document id, grade; a header
 * line is passed over).
 * @throws Error naming the file, and the line where there is one, that is missing or malformed
 */
export function readCollection(folder: string): Collection {
  const documents = readLines(folder, 'corpus.jsonl', (value) => ({
    id: textOf(value, 'id'),
    title: textOf(value, 'title', ''),
    text: textOf(value, 'text', ''),
  }));
  const grades = readGrades(folder);
  const queries = readLines(folder, 'queries.jsonl', (value) => ({
    id: textOf(value, 'id'),
    text: textOf(value, 'text'),
  }));
  const judged = queries.map((query) => ({ ...query, grades: grades.get(query.id) ?? new Map<string, number>() }));
  return { documents, queries: judged.filter((query) => [...query.grades.values()].some((grade) => grade > 0)) };
}

/** A document without text is its title; one with neither cannot be ingested and is left out. */
export function inputsOf(corpusId: string, { documents }: Collection): DocumentInput[] {
  return documents.flatMap(({ id, title, text }) => {
    const content = text.trim() || title.trim();
    const url = `https://collection.example/${encodeURIComponent(id)}`;
    return content ? [{ corpusId, docId: id, title: title.trim() || id, content, url }] : [];
  });
}

function readGrades(folder: string): Map<string, Map<string, number>> {
  const grades = new Map<string, Map<string, number>>();
  contentLines(folder, 'qrels.tsv').forEach(([line, number]) => {
    const [query = '', document = '', grade = ''] = line.split('\t').map((cell) => cell.trim());
    if (grade === '' || Number.isNaN(Number(grade))) {
      if (number === 1) return;
      throw new Error(
        `${join(folder, 'qrels.tsv')}:${number}: expected query id, document id and grade, with tabs between`,
      );
    }
    grades.set(query, (grades.get(query) ?? new Map<string, number>()).set(document, Number(grade)));
  });
  return grades;
}

function readLines<T>(folder: string, file: string, read: (value: Record<string, unknown>) => T): T[] {
  return contentLines(folder, file).map(([line, number]) => {
    try {
      return read(JSON.parse(line) as Record<string, unknown>);
    } catch (error) {
      throw new Error(`${join(folder, file)}:${number}: ${(error as Error).message}`, { cause: error });
    }
  });
}

function contentLines(folder: string, file: string): [string, number][] {
  const path = join(folder, file);
  if (!existsSync(path))
    throw new Error(`${path} is missing: a collection has corpus.jsonl, queries.jsonl and qrels.tsv`);
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  return lines.map((line, i): [string, number] => [line, i + 1]).filter(([line]) => line.trim() !== '');
}

/** Some collections have `_id`, and some number their ids. */
function textOf(value: Record<string, unknown>, name: string, fallback?: string): string {
  const found = value[name] ?? (name === 'id' ? value['_id'] : undefined) ?? fallback;
  if (typeof found === 'string') return found;
  if (typeof found === 'number') return String(found);
  throw new Error(`member ${name} must be text`);
}
