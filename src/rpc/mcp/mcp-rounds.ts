import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  type InputRequiredResult,
  type InputResponseView,
  type RequestStateCodecOptions,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { RPC_CODES } from '../json-rpc.js';

/** The one thing a call may ask its client for. */
const APPROVAL = 'approval';

/** What comes back with the client's answer at least. Signed, and not secret. */
interface AskedCall {
  /** The digest of the call. */
  call: string;
  round: number;
}

/**
 * The state of calls that wait for an approval over several rounds (MCP 2026-07-28, basic/patterns/mrtr): the client
 * has it, and repeats the call with it.
 */
export class McpRounds<Asked extends AskedCall> {
  private readonly codec;

  /** @param options `bind`: what is asked in one round is answered by nobody else in the next */
  constructor(options: RequestStateCodecOptions) {
    this.codec = createRequestStateCodec<Asked>(options);
  }

  /** @throws Error when the state is not one that was asked with, or no longer */
  open(state: string, context: ServerContext): Promise<Asked> {
    return this.codec.verify(state, context);
  }

  /**
   * What an earlier round of the call asked, with the answer to it; undefined in the first one.
   * @throws ProtocolError for the state of another call
   */
  find({ mcpReq }: ServerContext, call: string): { asked: Asked; answer: InputResponseView } | undefined {
    const asked = mcpReq.requestState<Asked>();
    if (asked === undefined) return undefined;
    if (asked.call !== call)
      throw new ProtocolError(RPC_CODES.invalidParams, 'Invalid or expired requestState', {
        reason: 'invalid_request_state',
      });
    return { asked, answer: inputResponse(mcpReq.inputResponses, APPROVAL) };
  }

  async ask(context: ServerContext, asked: Asked, message: string): Promise<InputRequiredResult> {
    const state = await this.codec.mint({ ...asked, round: asked.round + 1 }, context);
    const approval = inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
    return inputRequired({ inputRequests: { [APPROVAL]: approval }, requestState: state });
  }
}
