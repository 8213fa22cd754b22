import { ProtocolError } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { RPC_CODES, RpcFailure, type RpcCode } from '../json-rpc.js';
import { JsonText } from '../json-text.js';
import { ERROR_META, resultOf, resultOfFailure } from './mcp-results.js';

/** How a failure is returned: as an error of the protocol with its code, or as the tool's own. */
function reportedBy(code: RpcCode): number | 'by the tool' {
  try {
    expect(resultOfFailure(new RpcFailure(code, 'why'))).toMatchObject({ isError: true });
    return 'by the tool';
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}

describe('the result of a call', () => {
  it('holds the answer of the API as it came, and as what the output schema describes', () => {
    expect(resultOf(new JsonText('{"total": 1.0,"items":[]}'))).toEqual({
      content: [{ type: 'text', text: '{"total": 1.0,"items":[]}' }],
      structuredContent: { total: 1, items: [] },
      isError: false,
    });
  });

  it('says of an answer that is repeated that it is, in its _meta, and leaves the answer as it is', () => {
    expect(resultOf(new JsonText('{"total":1}', true))).toEqual({
      content: [{ type: 'text', text: '{"total":1}' }],
      structuredContent: { total: 1 },
      isError: false,
      _meta: { 'svc/replayed': true },
    });
  });

  it('returns every failure as MCP requires', () => {
    const table = Object.entries(RPC_CODES).map(([kind, code]) => [kind, reportedBy(code)]);
    expect(Object.fromEntries(table)).toEqual({
      parseError: -32600,
      invalidRequest: -32600,
      methodNotFound: -32602,
      invalidParams: 'by the tool',
      internalError: -32603,
      unauthorized: -32000,
      forbidden: 'by the tool',
      approvalRequired: -31002,
      shieldDenied: -32003,
      notFound: 'by the tool',
      conflict: 'by the tool',
      rateLimited: -32006,
      quotaExhausted: 'by the tool',
      featureDisabled: 'by the tool',
      upstream: 'by the tool',
    });
  });

  it('keeps code, message and data of a failure of the tool, for the model and for programs', () => {
    const error = { code: -32004, message: 'No such job', data: { type: 'JobUnknown', status: 404 } };
    const { content, _meta } = resultOfFailure(new RpcFailure(RPC_CODES.notFound, error.message, error.data));
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(error) }]);
    expect(_meta).toEqual({ [ERROR_META]: error });
  });

  it('keeps the data of an error of the protocol', () => {
    const data = { type: 'ShieldApprovalRequired', approvalRequestId: 'r', decisionId: 'd' };
    expect(() => resultOfFailure(new RpcFailure(RPC_CODES.approvalRequired, 'why', data))).toThrow(
      expect.objectContaining({ code: -31002, message: 'why', data }),
    );
  });
});
