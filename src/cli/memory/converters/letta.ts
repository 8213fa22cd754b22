import {
  type Conversion,
  entityName,
  isMembers,
  keyName,
  type Members,
  nameIn,
  newConversion,
  note,
  NotThisFormat,
  objectsIn,
  textOf,
  timeOf,
} from './conversion.js';

/**
 * An agent file (`.af`): `{agents: [{id, name, block_ids}], blocks: [{id, label, value}]}`, of older ones `{name,
 * core_memory: [{label, value}]}`; or passages of archival memory, `[{id, text, created_at}]`.
 */
export function convertLetta(dump: unknown): Conversion {
  const conversion = newConversion();
  if (Array.isArray(dump)) return takePassages(conversion, 'letta:archive', objectsIn(dump));
  if (!isMembers(dump)) throw new NotThisFormat('It is neither an agent file nor a list of passages');
  if (Array.isArray(dump.agents)) takeAgents(conversion, dump);
  else if (Array.isArray(dump.core_memory)) takeBlocks(conversion, agentOf(dump), objectsIn(dump.core_memory), dump);
  else if (Array.isArray(dump.passages)) takePassages(conversion, 'letta:archive', objectsIn(dump.passages));
  else throw new NotThisFormat('It has neither agents, core_memory nor passages');
  const left = ['messages', 'tools', 'files', 'sources', 'groups', 'mcp_servers'].filter(
    (name) => Array.isArray(dump[name]) && (dump[name] as unknown[]).length > 0,
  );
  if (left.length > 0) conversion.notes.push(`left out: ${left.join(', ')}`);
  return conversion;
}

function takeAgents(conversion: Conversion, { agents, blocks }: Members): void {
  const all = new Map(objectsIn(blocks ?? []).map((block) => [nameIn(block, 'id'), block]));
  for (const agent of objectsIn(agents)) {
    const ids = Array.isArray(agent.block_ids) ? (agent.block_ids as unknown[]) : [];
    const own = ids.map((id) => all.get(String(id))).filter((block) => block !== undefined);
    const memory = isMembers(agent.memory) && Array.isArray(agent.memory.blocks) ? objectsIn(agent.memory.blocks) : [];
    takeBlocks(conversion, agentOf(agent), [...own, ...memory], agent);
    const messages = Array.isArray(agent.messages) ? agent.messages.length : 0;
    note(conversion, messages, `messages of ${agentOf(agent)} left out`);
  }
}

const agentOf = (agent: Members): string => entityName(`agent:${nameIn(agent, 'name', 'id') ?? 'letta'}`);

function takeBlocks(conversion: Conversion, entity: string, blocks: readonly Members[], agent: Members): void {
  let without = 0;
  for (const block of blocks) {
    const label = nameIn(block, 'label', 'name');
    const value = textOf(block.value);
    const from =
      timeOf(block.updated_at) ?? timeOf(block.created_at) ?? timeOf(agent.updated_at) ?? timeOf(agent.created_at);
    if (label === undefined || value === undefined) without += 1;
    else
      conversion.facts.push({
        entity,
        key: keyName(label),
        value,
        ...(from === undefined ? {} : { valid_from: from }),
      });
  }
  note(conversion, without, 'blocks left out: no label or no text');
}

function takePassages(conversion: Conversion, entity: string, passages: readonly Members[]): Conversion {
  let without = 0;
  for (const passage of passages) {
    const id = nameIn(passage, 'id');
    const value = textOf(passage.text);
    const from = timeOf(passage.created_at);
    if (id === undefined || value === undefined) without += 1;
    else
      conversion.facts.push({ entity, key: keyName(id), value, ...(from === undefined ? {} : { valid_from: from }) });
  }
  note(conversion, without, 'passages left out: no id or no text');
  return conversion;
}
