import { tool } from '../../../common/contract/tool-declaration.js';
import { CloseStep, ObservedSessionPath, ObservedStepPath, ObserveNodeReply, OpenStep } from './observe-steps.dto.js';

export const OBSERVE_TOOLS = [
  tool('open_step', {
    title: 'Open a step of your session',
    description:
      'Records that a step of your work begins, with a signed receipt: a plan, a tool, a decision. Name the session as you name it in X-Svc-Session-Id, the step that it is part of in parent_id, and what goes into it in inputs. ' +
      'With auto true on a root, each tool call, retrieval and fact write that names the session becomes a step below it by itself. Close it with close_step, by the node_id of the answer.',
    route: 'POST /v1/observe/sessions/:id/steps',
    path: ObservedSessionPath,
    body: OpenStep,
    answer: ObserveNodeReply,
    names: { id: 'session_id' },
    isRead: false,
  }),
  tool('close_step', {
    title: 'Close a step of your session',
    description:
      'Call when a step that you opened with open_step ends: status ok, error, denied or cancelled, what came out of it in outputs, and the receipts of what it did and changed as receipt_id and mutation_receipt_id. ' +
      'A step is closed once; the same again changes nothing, and anything else is the error ObserveStepClosed.',
    route: 'PATCH /v1/observe/sessions/:id/steps/:node_id',
    path: ObservedStepPath,
    body: CloseStep,
    answer: ObserveNodeReply,
    names: { id: 'session_id' },
    isRead: false,
    isIdempotent: true,
  }),
];
