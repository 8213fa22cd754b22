import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestTenant } from '../../kit/app.js';

export interface ConformanceProxy {
  url: string;
  close(): Promise<void>;
}

interface Parties {
  toolsUrl: string;
  asker: TestTenant;
  /** Approves what the asker's calls wait for. */
  approver: TestTenant;
}

/** A tool of ours that shows what the runner looks for in a tool of its own. */
interface Stand {
  name: string;
  arguments: Record<string, unknown>;
  /** At which repetition of the call the other owner has approved it; never, where it is not said. */
  approvedAt?: number;
}

const UNKNOWN_JOB = '01900000-0000-7000-8000-000000000000';
const needsApproval = (of: string): Omit<Stand, 'approvedAt'> => ({
  name: 'submit_feature_request',
  arguments: { title: `Wanted by ${of}`, body: 'Because', idempotency_key: `conformance of ${of}` },
});

/**
 * The tools that the scenarios call, which servers are expected to have for the test, by tools of ours that behave so.
 */
const STANDS: Record<string, Stand> = {
  test_simple_text: { name: 'browse_bundles', arguments: {} },
  test_logging_tool: { name: 'browse_bundles', arguments: {} },
  test_error_handling: { name: 'get_proof_status', arguments: { job_id: UNKNOWN_JOB } },
  test_streaming_elicitation: needsApproval('streaming'),
  test_input_required_result_elicitation: needsApproval('elicitation'),
  test_input_required_result_tampered_state: needsApproval('tampering'),
  test_input_required_result_request_state: { ...needsApproval('state'), approvedAt: 1 },
  test_input_required_result_multi_round: { ...needsApproval('rounds'), approvedAt: 2 },
};

interface Message {
  method?: string;
  params?: { name?: string; arguments?: unknown; requestState?: string };
}

/**
 * Stands between the conformance runner and the tool service: the runner can send no credential, and its scenarios call
 * tools of their own. Nothing else of a request or an answer is changed.
 */
export async function startConformanceProxy({ toolsUrl, asker, approver }: Parties): Promise<ConformanceProxy> {
  const target = new URL(toolsUrl);
  const repeated = new Map<string, number>();

  // No other: an approved call goes through, and other scenarios are to be asked.
  const approve = async (title: unknown) => {
    const { approvals } = (await approver.call('GET', '/v1/shield/approvals?status=pending')).body;
    const asked = approvals.filter(
      (approval: { arguments: { title?: unknown } }) => approval.arguments.title === title,
    );
    for (const { approvalRequestId } of asked)
      await approver.call('POST', `/v1/shield/approvals/${approvalRequestId}/resolve`, {
        decision: 'approve',
        reason: 'Looks right',
      });
  };
  const stand = async (message: Message): Promise<string | undefined> => {
    const called = message.method === 'tools/call' ? message.params?.name : undefined;
    const found = called === undefined ? undefined : STANDS[called];
    if (!found || !message.params) return undefined;
    const { name, arguments: given, approvedAt } = found;
    if (message.params.requestState !== undefined) {
      const times = (repeated.get(called!) ?? 0) + 1;
      repeated.set(called!, times);
      if (times === approvedAt) await approve(given['title']);
    }
    message.params.name = name;
    message.params.arguments = given;
    return name;
  };
  const rewritten = async (incoming: IncomingMessage) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${asker.apiKey}` };
    const body = await buffer(incoming);
    const message = readMessage(body);
    const name = message && (await stand(message));
    if (name === undefined) return { headers, body };
    const changed = Buffer.from(JSON.stringify(message));
    return { headers: { ...headers, 'mcp-name': name, 'content-length': changed.length }, body: changed };
  };

  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    void rewritten(incoming).then(({ headers, body }) => {
      const passed = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
        outgoing.once('close', () => answer.destroy());
      });
      passed.once('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readMessage(body: Buffer): Message | undefined {
  try {
    return JSON.parse(body.toString()) as Message;
  } catch {
    return undefined;
  }
}
