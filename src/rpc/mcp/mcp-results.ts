import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { AgentAnswer } from '../agent/agent-answer.js';
import { RPC_CODES, RpcFailure, type RpcCode } from '../json-rpc.js';
import { JsonText } from '../json-text.js';

/** Where programs find the failure of a tool: code, message and data as JSON-RPC has them on the other transports. */
export const ERROR_META = 'svc/error';
/** Present, and true, where the result repeats that of an earlier call, which had the effect (D85). */
const REPLAYED_META = 'svc/replayed';
const REPLAYED = { _meta: { [REPLAYED_META]: true } };

/** Whether a result is one. */
export const isReplay = ({ _meta: meta }: CallToolResult): boolean => meta?.[REPLAYED_META] === true;

/**
 * What a model can do nothing about, or only its client can: answered as a JSON-RPC error, with this code. All other
 * failures are the tool's own (MCP 2026-07-28, server/tools, "Error Handling"). MCP forbids -32002, which was its code
 * for unknown resources, and asks for application codes outside of the range that JSON-RPC reserves (basic, "Error
 * Codes").
 */
const PROTOCOL_CODES = new Map<RpcCode, number>([
  [RPC_CODES.parseError, RPC_CODES.invalidRequest],
  [RPC_CODES.invalidRequest, RPC_CODES.invalidRequest],
  [RPC_CODES.methodNotFound, RPC_CODES.invalidParams],
  [RPC_CODES.internalError, RPC_CODES.internalError],
  [RPC_CODES.unauthorized, RPC_CODES.unauthorized],
  [RPC_CODES.approvalRequired, -31002],
  [RPC_CODES.shieldDenied, RPC_CODES.shieldDenied],
  [RPC_CODES.rateLimited, RPC_CODES.rateLimited],
]);

/** Of a request that is no call of a tool: nothing is wrong with its parameters when what is behind it is away. */
const FAILED_CODES = new Map<RpcCode, number>([...PROTOCOL_CODES, [RPC_CODES.upstream, RPC_CODES.internalError]]);

/** The API's answer, as the structured content that the tool's output schema describes and as text. */
export function resultOf(answer: unknown): CallToolResult {
  if (answer instanceof AgentAnswer) return resultOfAgentAnswer(answer);
  const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer ?? null);
  const structuredContent = answer instanceof JsonText ? answer.parse() : answer;
  const isReplayed = answer instanceof JsonText && answer.isReplayed;
  return {
    content: [{ type: 'text', text }],
    structuredContent,
    isError: false,
    ...(isReplayed ? REPLAYED : {}),
  };
}

/** Text for the model, and the rest for programs. */
export const resultOfAgentAnswer = ({ text, data, isReplayed }: AgentAnswer): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: data,
  isError: false,
  ...(isReplayed ? REPLAYED : {}),
});

/**
 * A failure as its caller receives it.
 * @throws ProtocolError where it is not the tool's own
 */
export function resultOfFailure({ code, message, data, text }: RpcFailure): CallToolResult {
  const protocolCode = PROTOCOL_CODES.get(code);
  if (protocolCode !== undefined) throw new ProtocolError(protocolCode, message, data);
  return failed({ code, message, data }, text);
}

/** A failure where there is no result that could report it: of a prompt or a resource. */
export const protocolErrorOf = ({ code, message, data }: RpcFailure): ProtocolError =>
  new ProtocolError(FAILED_CODES.get(code) ?? RPC_CODES.invalidParams, message, data);

/** The failure that a result reports, for a caller within this server; undefined where it reports none. */
export function failureIn({ isError, content, _meta: meta }: CallToolResult): RpcFailure | undefined {
  const error = meta?.[ERROR_META] as { code: RpcCode; message: string; data?: Record<string, unknown> } | undefined;
  if (!isError || !error) return undefined;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return new RpcFailure(error.code, error.message, error.data, { text });
}

/** The end of a call that the tool itself reports: read by the model as text, by programs in `_meta`. */
function failed(error: { code: number; message: string; data?: unknown }, text?: string): CallToolResult {
  return {
    content: [{ type: 'text', text: text ?? JSON.stringify(error) }],
    isError: true,
    _meta: { [ERROR_META]: error },
  };
}
