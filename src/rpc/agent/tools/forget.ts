import { Text } from '../../../common/fields/fields.js';
import { AgentAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import { namingCurrentFact } from './current-fact.js';

class ForgetArguments {
  @Text({ about: 'Of its current version.', min: 1, max: 100 })
  fact_id!: string;
}

export const FORGET = agentTool<ForgetArguments>({
  name: 'forget',
  title: 'Forget a fact',
  description: 'Retires a fact: search no longer finds it, its history stays. An older version is refused.',
  given: ForgetArguments,
  routes: ['daemon DELETE /v1/facts/:factId'],
  isRead: false,
  once: 'held',
  isDestructive: true,
  run: async ({ fact_id }, servers) => {
    const { id: factId } = readId(fact_id);
    const params = { factId };
    await namingCurrentFact(servers.call('daemon', 'DELETE /v1/facts/:factId', { params }));
    return new AgentAnswer(`Forgot ${idOf('fact', factId)}.`, { id: idOf('fact', factId), forgotten: true });
  },
});
