import type { Address } from '../../common/contract/contract.js';
import type { JsonSchema } from '../../common/fields/fields.js';
import type { ObjectSchema } from '../../common/fields/json-schema.js';
import type { NestedMembers } from './nested-members.js';
import type {
  Idempotency,
  NamedToolDeclaration,
  RestsOn,
  ToolCredential,
} from '../../common/contract/tool-declaration.js';

/** What clients see of a tool and what they trust: the members that are digested. */
export interface ToolDefinition {
  name: NamedToolDeclaration['name'];
  title: string;
  description: string;
  inputSchema: InputSchema;
  outputSchema: ObjectSchema;
  annotations: ToolAnnotations;
}

export interface InputSchema extends ObjectSchema {
  additionalProperties: boolean;
}

/** Hints as the Model Context Protocol words them. */
interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** Where an argument goes in the request to the API. */
export interface ToolMember {
  /** The parameter: snake_case. */
  name: string;
  /** The member of the API, as its DTO has it. */
  member: string;
  place: 'path' | 'query' | 'body' | 'single' | 'header';
  schema: JsonSchema;
  /** Present where objects in it have members that the API spells otherwise. */
  nested?: NestedMembers;
  isRequired: boolean;
}

/** One address of the API, and the parameters of its path. */
export interface ToolAddress {
  address: Address;
  pathMembers: readonly ToolMember[];
}

export interface Tool {
  definition: ToolDefinition;
  /** `sha256:<hex>` over the RFC 8785 form of the definition. */
  digest: string;
  /** The address that the tool is a name for; the first, where there are several. */
  route: Address;
  addresses: readonly ToolAddress[];
  members: readonly ToolMember[];
  /** Other names of parameters. */
  aliases: ReadonlyMap<string, string>;
  defaults: Readonly<Record<string, unknown>>;
  /** Of these parameters exactly one must be given. */
  exactlyOne: readonly string[];
  single: string | undefined;
  fixed: Readonly<Record<string, unknown>>;
  hasBody: boolean;
  isRead: boolean;
  /** Answers callers without a credential. */
  isPublic: boolean;
  idempotency: Idempotency;
  /** Present where the idempotency is `derived`. */
  restsOn: RestsOn | undefined;
  credential: ToolCredential;
  /** The member of the arguments that says how many credits the call spends. */
  spends: string | undefined;
}
