import type { TenantCaller } from '../contract/caller.js';

/** The server that the tools of the tool service belong to. */
export const TOOL_SERVER_ID = 'svc-tools';

/** A call that asks to be let through (D24). */
export interface ShieldCall {
  caller: Pick<TenantCaller, 'tenantId' | 'principal'> & { authType: string };
  /** What is to be done: the route's address, `POST /v1/bundles/purchase`, or a tool's name. */
  action: string;
  /** The address of the route a tool's call goes on to: what stops that route stops the tool. */
  route?: string;
  /** Whether it changes nothing: a switch stops it only where it names it or says that reads are included. */
  isRead: boolean;
  /**
   * Path parameters, query and body, without idempotencyKey; of a tool its own arguments: what an approval is bound to.
   */
  arguments: unknown;
  /** x-shield-approval-token, where one was sent. */
  approvalToken?: string;
  /** Of the definition that was used to make the call, where it came through a tool: `sha256:<hex>`. */
  toolDigest?: string;
  /** The server the tool belongs to. */
  serverId?: string;
  /** Of a tool's call that the tool service has decided on already: that decision. */
  decided?: ToolDecision;
}

/** What is known of the decision on a tool call where its arguments need not be at hand. */
interface ToolDecision {
  /** None where the stored answer was to be repeated. */
  decisionId?: string;
  /** Of the tool's arguments, `sha256:<hex>`, and how long they are. */
  argumentsDigest: string;
  argumentsBytes: number;
}

/** A decision that is not recorded yet: the default rule lets the call through, by what this process knows. */
export interface PlainDecision {
  readonly principal: string;
  /** As svc_admit_tool_calls takes it. */
  readonly row: {
    readonly decision_id: string;
    readonly auth_type: string;
    readonly action: string;
    readonly server_id: string | undefined;
    readonly tool_digest: string | undefined;
    /** SHA-256 in hexadecimal digits. */
    readonly arguments_digest: string;
    readonly sampled_by: readonly string[];
    /** What it rests on. */
    readonly policy_version: number;
    readonly sampling: string | null;
  };
}

/**
 * The check before every call. Implemented by the shield module. Every method refuses by throwing ShieldDenied or
 * ShieldApprovalRequired; the refusal is kept although the unit of work it stopped is rolled back.
 */
export abstract class ShieldPipeline {
  /**
   * Decides on a mutation and does it, inside the open unit of work of the effect: decision, use of the approval and
   * effect commit together.
   */
  abstract run<T>(call: ShieldCall, effect: () => Promise<T>): Promise<T>;

  /**
   * Decides on a mutation whose unit of work is not open yet.
   * @returns undefined where {@link run} is to decide: an approval is used, or the call may be refused
   */
  abstract decidePlainly(call: ShieldCall): Promise<PlainDecision | undefined>;

  /**
   * Records decisions in the open unit of work of their effects.
   * @returns of each whether it was; otherwise what it rests on has changed, and {@link run} is to decide
   */
  abstract recordPlain(decisions: readonly PlainDecision[]): Promise<boolean[]>;

  /**
   * For an effect that turns out to spend credits of an agent: more than the policy allows need an approval. No-op
   * outside of {@link run}.
   */
  abstract admitSpending(credits: number): Promise<void>;

  /**
   * Lets a read through by what this process knows; it asks the database, and leaves a decision, only where something
   * may stop it.
   */
  abstract admitRead(call: ShieldCall): Promise<void> | undefined;
}
