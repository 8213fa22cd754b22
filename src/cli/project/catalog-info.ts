import { parseAllDocuments } from 'yaml';
import { KEPT_ID, REPO, SLUG } from '../../modules/projects/projects/projects.types.js';

/** A project as a catalog describes it. */
export interface CatalogProject {
  id: string;
  name: string;
  repos: { repo: string; role: string | null }[];
}

export interface Catalog {
  projects: CatalogProject[];
  /** What was not taken, and why. */
  notes: string[];
}

interface CatalogEntity {
  kind: string;
  name: string;
  title: string | undefined;
  system: string | undefined;
  type: string | undefined;
  repo: string | undefined;
}

const MAX_CHARACTERS = 1024 * 1024;
const MAX_NAME = 200;
const MAX_ROLE = 64;

/**
 * Reads a `catalog-info.yaml` of Backstage, of one entity or several: a System is a project; a Component, Resource or
 * API is a repository of the project of its system, and where it has none a project of its own.
 * @throws Error saying what is wrong with the file
 */
export function readCatalog(text: string): Catalog {
  if (text.length > MAX_CHARACTERS) throw new Error(`has more than ${MAX_CHARACTERS} characters`);
  const notes: string[] = [];
  const projects = new Map<string, CatalogProject>();
  const entities = entitiesOf(text, notes);
  for (const { kind, name, title } of entities) if (kind === 'System') projectIn(projects, name, title);
  for (const entity of entities.filter(({ kind }) => PARTS.includes(kind))) addPart(projects, entity, notes);
  if (projects.size === 0) throw new Error('describes no System, Component, Resource or API');
  return { projects: [...projects.values()], notes };
}

const PARTS = ['Component', 'Resource', 'API'];

function addPart(projects: Map<string, CatalogProject>, entity: CatalogEntity, notes: string[]): void {
  const { kind, name, title, system, type, repo } = entity;
  const project = projectIn(projects, system ?? name, system === undefined ? title : undefined);
  if (repo === undefined) notes.push(`${kind} ${name} names no repository (github.com/project-slug)`);
  else if (!project.repos.some((link) => link.repo === repo))
    project.repos.push({ repo, role: type?.slice(0, MAX_ROLE) ?? null });
}

function projectIn(projects: Map<string, CatalogProject>, name: string, title: string | undefined): CatalogProject {
  const id = slugOf(name);
  const known = projects.get(id);
  if (known) {
    if (title !== undefined) known.name = title;
    return known;
  }
  const project = { id, name: title ?? name, repos: [] };
  projects.set(id, project);
  return project;
}

/** @throws Error for a name that no id can be made of, or one that is kept */
function slugOf(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (!SLUG.test(id)) throw new Error(`has a name of which no id of at most 63 characters can be made: ${name}`);
  if (id === KEPT_ID)
    throw new Error(`has the name ${name}: the id ${id} is kept for the layers of sessions; rename it`);
  return id;
}

function entitiesOf(text: string, notes: string[]): CatalogEntity[] {
  const documents = parseAllDocuments(text, { stringKeys: true, uniqueKeys: true });
  if (!Array.isArray(documents)) throw new Error('is empty');
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`is no YAML: ${error.message.split('\n')[0]}`);
    // No aliases: a few of them can stand for gigabytes.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return value === null ? [] : entityOf(value, notes);
  });
}

/** @throws Error for what is no entity of a catalog */
function entityOf(value: unknown, notes: string[]): CatalogEntity[] {
  const { apiVersion, kind, metadata, spec } = objectOf(value);
  const { name, title, annotations } = objectOf(metadata);
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('backstage.io/') || typeof kind !== 'string')
    throw new Error('has an entity without apiVersion backstage.io/… and kind');
  if (typeof name !== 'string' || name === '') throw new Error(`has a ${kind} without metadata.name`);
  if (kind !== 'System' && !PARTS.includes(kind)) {
    notes.push(`${kind} ${name} is left out: it is neither a project nor a repository`);
    return [];
  }
  const { system, type } = objectOf(spec);
  return [
    {
      ...{ kind, name, title: textOf(title)?.slice(0, MAX_NAME), type: textOf(type) },
      ...{ system: nameOfRef(textOf(system)), repo: repoOf(objectOf(annotations)) },
    },
  ];
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** `system:default/shop` and `default/shop` name shop. */
const nameOfRef = (ref: string | undefined): string | undefined => ref?.split('/').at(-1)?.split(':').at(-1);

/** By the slug, else by where the source is. */
function repoOf(annotations: Record<string, unknown>): string | undefined {
  const slug = textOf(annotations['github.com/project-slug']) ?? textOf(annotations['gitlab.com/project-slug']);
  const source = textOf(annotations['backstage.io/source-location']);
  const [, found] = /^url:https:\/\/[^/]+\/([^/]+\/[^/]+?)(?:\.git)?(?:\/|$)/.exec(source ?? '') ?? [];
  return [slug, found].find((repo) => repo !== undefined && REPO.test(repo));
}
