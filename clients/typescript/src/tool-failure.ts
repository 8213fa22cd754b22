/** An error of JSON-RPC that a tool answered; docs/agents.md lists the codes. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: number;
  /** The facts of the case, with the problem of the API where one is behind it. */
  readonly data: unknown;

  constructor(error: { code?: number; message?: string; data?: unknown }) {
    super(error.message ?? 'The tool failed');
    this.code = error.code ?? -32603;
    this.data = error.data;
  }
}
