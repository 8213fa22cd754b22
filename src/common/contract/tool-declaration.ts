import type { Type as Class } from '@nestjs/common';
import type { Address } from './contract.js';
import type { DaemonToolName, ToolName } from './tool-names.js';

/**
 * Whether a call has its effect once under a key: `none` for what only reads (and for register_agent, which makes
 * another agent each time), `required` where the caller must send one (tenant-api.md 5, item 14), `derived` where one
 * is made of the call and of what it rests on when there is none (D28).
 */
export type Idempotency = 'none' | 'required' | 'derived';

/**
 * What the effect of a call rests on in addition to its arguments: the documents under what is to be proven, the
 * watches there have been on what is to be watched, or those that followed the named one.
 */
export type RestsOn = 'proof_subject' | 'watch_target' | 'watch';

/** Whose credential goes on to the route: the caller's, none, or the session token among the arguments. */
export type ToolCredential = 'caller' | 'none' | 'session_token';

/**
 * One address that a tool is a name for, with the classes of its parameters as its handler declares them.
 */
export interface ToolRoute {
  route: Address;
  path?: Class;
  query?: Class;
  body?: Class;
}

/**
 * The declaration of one tool of a module. Its parameters are the members of path, query and body, in snake_case, and
 * so are the members of the objects in them. Everything below is about where a tool differs from that.
 */
export interface ToolDeclaration extends ToolRoute {
  title: string;
  /**
   * For the agent that decides whether and how to call it: what it does, when to use it, what to pass, what comes back,
   * what it costs, what to do next.
   */
  description: string;
  /** The class of the answer, as the route declares it. */
  answer: Class;
  /** Further routes. The path parameter that is given selects the one to call; exactly one must be given. */
  orRoutes?: readonly ToolRoute[];
  /** Whether it changes nothing. Changes to the account of credits and windows do not count. */
  isRead: boolean;
  /** Whether what it does cannot be taken back: something ends, or credits are spent for good. */
  isDestructive?: true;
  /**
   * Whether it reaches beyond the tenant: its answer may hold text that others wrote, or it makes the service call an
   * address outside.
   */
  isOpenWorld?: true;
  idempotency?: Idempotency;
  /** Where the idempotency is `derived`. */
  restsOn?: RestsOn;
  /** Takes a `fence`, which goes to the route as X-Svc-Fence: a route that is `fenced`. */
  fenced?: true;
  /** Whether a repeat changes nothing more, though it bears no key. */
  isIdempotent?: true;
  credential?: ToolCredential;
  /**
   * Parameters under another name than that of the API's member in snake_case, which is then taken as well: `{ id:
   * 'job_id' }`.
   */
  names?: Record<string, string>;
  /** Further names that are taken for a parameter: `{ answer_id: 'target_id' }`. */
  aliases?: Record<string, string>;
  /** Values of parameters that may be left out here though the API asks for them. */
  defaults?: Record<string, string>;
  /** What a parameter is, where that reads better for an agent than what the API's own description says. */
  about?: Record<string, string>;
  /** A list of the body that holds one item here, whose members are parameters themselves. */
  single?: { member: string; type: Class };
  /** Members of the body that the tool sends by itself. */
  fixed?: Record<string, unknown>;
  /** The parameter that says how many credits the call spends. */
  spends?: string;
}

export interface NamedToolDeclaration extends ToolDeclaration {
  name: ToolName | DaemonToolName;
}

/** Declares a tool. A registry puts those of a server together (tool-registry.ts). */
export const tool = (name: NamedToolDeclaration['name'], declaration: ToolDeclaration): NamedToolDeclaration => ({
  name,
  ...declaration,
});
