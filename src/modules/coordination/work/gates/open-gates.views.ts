/** What holds of a gate until its time is over or its item changes. */
const stands = (gate: string): string => `${gate}.expires_at > clock_timestamp() and exists (select from work_item i
  where i.tenant_id = ${gate}.tenant_id and i.work_id = ${gate}.work_id and i.version = ${gate}.item_version)`;

/** A condition on rows of `work_gate`: that it waits for a decision. */
export const isOpenGate = (gate: string): string => `(${gate}.status = 'pending' and ${stands(gate)})`;

/** What an open gate is about: the title of its item, and the move. */
export const titleOfGate = (gate: string): string => `(select i.title from work_item i
  where i.tenant_id = ${gate}.tenant_id and i.work_id = ${gate}.work_id) || ': ' || (${gate}.before->>'state') || ' → ' || (${gate}.after->>'state')`;

/** That it is pending in the table alone: it has lapsed, and the sweep will say so. */
export const isOverGate = (gate: string): string => `(${gate}.status = 'pending' and not (${stands(gate)}))`;
