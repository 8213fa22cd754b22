import type { Address } from '../../common/contract/contract.js';

/** The tenant API and the memory daemon. */
export type ServerName = 'api' | 'daemon';

/** What goes to a route, as its handler reads it: decoded, in the spelling of the route. */
export interface RouteParts {
  /** The parameters of the path. */
  params?: Record<string, string>;
  /** Members that are undefined are left out. */
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** What a route answered. */
export interface RouteReply<T> {
  body: T;
  /** It is the answer of an earlier call with the same key, which had the effect. */
  isReplayed: boolean;
}

/** A tool as it is listed. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, unknown>; required?: string[] };
}

/** The tools of the other sets, for the same caller. */
export interface OtherTools {
  /** @throws ValidationFailed for a set that there is not */
  list(set: string): Promise<readonly ListedTool[]>;
  /**
   * @param key of the effect
   * @returns what a model reads of the answer
   * @throws as a call by the name of the tool does
   */
  call(
    name: string,
    given: Record<string, unknown>,
    key: string | undefined,
  ): Promise<{ text: string; isReplayed: boolean }>;
}

/** Both servers, as whoever called the tool: each route with the caller's own credential. */
export interface Servers {
  readonly tools: OtherTools;

  /** The key of the effect, where one was sent. */
  readonly idempotencyKey: string | undefined;

  /** An id for something new: the same again for a repeat with the same key. */
  newId(): string;

  /** The tenant that the caller works in, for routes whose body or query must name it. */
  tenantId(): Promise<string>;

  /**
   * Calls a route.
   * @throws RouteRefusal for an answer of 400 and above, or where the server cannot be reached
   */
  call<T extends object>(server: ServerName, address: Address, parts?: RouteParts): Promise<RouteReply<T>>;
}

/** A route that refused, or a server that did not answer. */
export class RouteRefusal extends Error {
  constructor(
    readonly server: ServerName,
    readonly address: Address,
    readonly status: number,
    /** The body: RFC 9457, of either server. */
    readonly problem: Record<string, unknown>,
  ) {
    super(textOf(problem));
  }

  /** What the refusal is called: `NotFound`, `FeatureDisabled`. */
  get kind(): string {
    const { type } = this.problem;
    return typeof type === 'string' ? type.replace(/^.*[/:]/, '') : '';
  }
}

const textOf = ({ detail, message, title }: Record<string, unknown>): string =>
  [detail, message, title].find((text): text is string => typeof text === 'string' && text !== '') ?? 'It failed';

/** The same, where what is not there is no failure. @returns undefined for 404 */
export const findAt = <T extends object>(
  servers: Servers,
  server: ServerName,
  address: Address,
  parts?: RouteParts,
): Promise<T | undefined> =>
  unless(
    404,
    servers.call<T>(server, address, parts).then(({ body }) => body),
  );

/** A look for a thing of a kind that nobody named: where the caller may not look, it is none of theirs. */
export const findIfAllowed = <T>(look: Promise<T | undefined>): Promise<T | undefined> => unless(403, look);

/** @returns undefined where a route refuses with this status */
const unless = <T>(status: number, asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof RouteRefusal && error.status === status) return undefined;
    throw error;
  });

/** What one of several sources did not give, and why. */
export interface LeftOut {
  what: string;
  why: string;
  refusal: RouteRefusal;
}

/**
 * One of several sources of an answer: what refuses is left out of it and named, and the others answer.
 * @returns undefined where it was left out
 */
export async function tryPart<T>(what: string, leftOut: LeftOut[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RouteRefusal) || error.status === 400) throw error;
    leftOut.push({ what, why: error.message, refusal: error });
    return undefined;
  }
}
