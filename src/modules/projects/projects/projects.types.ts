/** Ids of projects and planes (D65). */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** No project is called so: it is the first part of the entities of layers of sessions, `layer:session/<id>`. */
export const KEPT_ID = 'session';

export const REPO_OWNER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const REPO_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
/** owner/repo. */
export const REPO = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** Members, tenant links, repo links and planes of one project at most, each. */
export const MAX_LINKS = 1_000;

/** What members and links belong to: a project, where planeId is '', or one of its planes. */
export interface LinkOwner {
  projectId: string;
  planeId: string;
}

/**
 * The entities of facts that are a project's: `project:<id>` and what is below it, by a slash or a colon.
 * `project:shop` is not `project:shop-two`.
 */
export const projectEntities = (projectId: string): { entity: string; prefixes: readonly [string, string] } => ({
  entity: `project:${projectId}`,
  prefixes: [`project:${projectId}/`, `project:${projectId}:`],
});
