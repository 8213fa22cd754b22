import { Command, Option } from 'commander';
import { ApiClient } from '../common/client/api-client.js';
import { LANES, type AnswerReply, type Lane, type ProofJobReply } from '../common/client/api-replies.js';
import { endedProof } from '../common/client/ended-proof.js';
import { loadSettings } from '../common/config/settings.js';
import { print, type Line, type OutputOptions } from './output.js';
import { serverOf, withServerOptions, type ServerOptions } from './server-address.js';

interface AnswerOptions extends OutputOptions, ServerOptions {
  cites: string[];
  answerId?: string;
  agent: string;
  mode: Lane;
}

/** `svc answer`: records an answer with its citations, and has it proved. */
export const answerCommand = (): Command =>
  withServerOptions(
    new Command('answer')
      .description('record an answer with the passages it rests on, and have it proved')
      .argument('<text>', 'the answer')
      .requiredOption('--cites <id...>', 'passages it rests on, as svc search shows them')
      .option('--answer-id <id>', 'its id; one that is known gets a new version (default: a new one)')
      .option('--agent <id>', 'who answered', 'default-agent')
      .addOption(new Option('--mode <mode>', 'how thorough the proof is').choices(LANES).default('light')),
  )
    .option('--json', 'print one JSON object')
    .action(async (answerText: string, options: AnswerOptions) => {
      const client = new ApiClient(await serverOf(loadSettings(), options));
      const { cites, answerId, agent: agentId, mode: prove } = options;
      const citations = cites.map((chunkId) => ({ chunkId }));
      const recorded = await client.post<AnswerReply>('/v1/answers', {
        ...{ agentId, answerText, citations, prove },
        ...(answerId === undefined ? {} : { answerId }),
      });
      const proof = await endedProof(client, recorded.proof);
      const ok = proof.verdict === 'holds';
      print(options, { ok, ...recorded, proof }, () => linesOf(recorded, proof));
      if (!ok) process.exitCode = 1;
    });

const linesOf = (
  { answerId, version, receiptId }: AnswerReply,
  { verdict, checks, receiptId: proof }: ProofJobReply,
): Line[] => [
  `Answer ${answerId}, version ${version}, receipt ${receiptId}`,
  ...checks.map(({ name, ok, detail }): Line =>
    ok ? `ok    ${name}  ${detail}` : { text: `FAIL  ${name}  ${detail}`, style: 'red' },
  ),
  `The proof ${verdict}, receipt ${proof ?? 'none'}`,
];
