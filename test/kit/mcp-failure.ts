import { ProtocolError } from '@modelcontextprotocol/client';

/** The error that something asked of an MCP server was answered with. */
export const mcpFailure = (asked: Promise<unknown>): Promise<ProtocolError> =>
  asked.then(
    (answer) => Promise.reject(new Error(`it was answered: ${JSON.stringify(answer)}`)),
    (error: unknown) => (error instanceof ProtocolError ? error : Promise.reject(error as Error)),
  );
