import { PageQuery } from '../../../common/fields/page.dto.js';
import { tool } from '../../../common/contract/tool-declaration.js';
import { AnswerPath, PackQuery, ProofPackFile, ProofReceipt, ReceiptPath } from './proof-receipts.dto.js';
import { ProofChunkPage } from './proof-chunks.dto.js';
import { ProofJobPath, ProofJobRecord, ProofRequest } from './proofs.dto.js';

const JOB_ID = 'The jobId that proof_document answered. It is taken under the name id too.';

export const PROOF_TOOLS = [
  tool('proof_document', {
    title: 'Start a proof job',
    description:
      'Starts a job that checks whether an answer, a document, a passage or the last search still rests on what the vault holds, and records the outcome in a signed receipt. ' +
      'Use it when somebody must be able to check what you say. Pass answer_id, retrieval_id, or artefact_id (an answerId, a chunkId, a retrievalId, or corpusId/docId), or none of them for the last query_vault of agent_id; mode is how much is checked, and costs 1 credit (light), 5 (verified) or 20 (audit), given back when the job fails. ' +
      'It comes back at once with jobId and status queued: call get_proof_status until status is completed or failed, then get_proof_chunks, get_proof_receipt or get_proofpack. Further parameters are taken and kept with the job. ' +
      'Without idempotency_key a repeat within 24 hours answers the same job while all that it rests on is the same: the answer, the documents under it as you may see them, the last query_vault. After a change there it starts a new one.',
    route: 'POST /v1/proof/jobs',
    body: ProofRequest,
    answer: ProofJobRecord,
    isRead: false,
    idempotency: 'derived',
    restsOn: 'proof_subject',
    about: {
      answer_id:
        'The answer to prove: the answerId under which its citations were recorded. Not together with artefact_id.',
      artefact_id:
        'What to prove: an answerId, a chunkId, a retrievalId, or a document as corpusId/docId; the first of them that exists.',
      retrieval_id: 'The retrieval to prove: the retrievalId that query_vault answered in the lane verified or audit.',
    },
  }),
  tool('get_proof_status', {
    title: 'Get a proof job',
    description:
      'Reports the status of a proof job and what it found. Call it after proof_document, every second or so, until status is completed or failed. ' +
      'verdict: holds (all checks hold), drifted (intact, but a source has changed since), unavailable (a document is deleted, or no longer shared with you) or broken (something is missing or altered); checks says why, and receiptId is what get_proofpack takes. Costs nothing.',
    route: 'GET /v1/proof/jobs/:id',
    path: ProofJobPath,
    answer: ProofJobRecord,
    isRead: true,
    names: { id: 'job_id' },
    about: { job_id: JOB_ID },
  }),
  tool('get_proof_chunks', {
    title: 'Read the passages of a proof',
    description:
      'Lists the passages that a proof job checked, each with its text, its digest, its place in the ranking and the outcome of every check. ' +
      'Use it when get_proof_status says drifted or broken, to find which passage it is about. Empty until the job ends; pass next_cursor as cursor for more. Costs nothing; passages whose source is commons were written by others.',
    route: 'GET /v1/proof/jobs/:id/chunks',
    path: ProofJobPath,
    query: PageQuery,
    answer: ProofChunkPage,
    isRead: true,
    isOpenWorld: true,
    names: { id: 'job_id' },
    about: { job_id: JOB_ID },
  }),
  tool('get_proof_receipt', {
    title: 'Read the receipt of a proof or an answer',
    description:
      'Reads a signed receipt: of a completed proof job by job_id, or of the newest recording of an answer by answer_id. Pass exactly one of the two. ' +
      'The answer has the facts that were signed, the receipt itself (COSE_Sign1) and its place in the transparency log. ProofJobUnfinished (-32005) means that the job still runs: ask again after retryAfterSec. ' +
      'Costs nothing. For one file that anybody can verify offline, pass its receiptId to get_proofpack.',
    route: 'GET /v1/proof/jobs/:id/receipt',
    path: ProofJobPath,
    orRoutes: [{ route: 'GET /v1/proof/answers/:answerId/receipt', path: AnswerPath }],
    answer: ProofReceipt,
    isRead: true,
    names: { id: 'job_id' },
    about: {
      job_id: `${JOB_ID} Either this or answer_id.`,
      answer_id: 'The answerId under which citations were recorded. Either this or job_id.',
    },
  }),
  tool('get_proofpack', {
    title: 'Fetch a proof pack',
    description:
      'Fetches the proof pack of a receipt: one JSON file with everything the proof rests on, which verifies offline with a public key and no server. ' +
      'Use it to hand evidence to somebody else. Take receipt_id from get_proof_status or get_proof_receipt; the receiptId of a conversion, a purchase or an audit search serves too. ' +
      'Every byte of the file is covered, so save it as it came and do not reformat it; `svc verify FILE` checks it. Costs nothing, and can be large.',
    route: 'GET /v1/proof/receipts/:receiptId/proofpack',
    path: ReceiptPath,
    query: PackQuery,
    answer: ProofPackFile,
    isRead: true,
    isOpenWorld: true,
    about: { receipt_id: 'The receiptId of any signed receipt of the tenant.' },
  }),
];
