import { existsSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { EvidenceRecords } from '../common/evidence-log/evidence-records.js';
import {
  FORM_ALGORITHMS,
  type FormAlgorithm,
  RECEIPT_FORMS,
  ReceiptForms,
  type ReceiptForm,
} from '../common/evidence-log/receipt-forms.js';
import { Tenancy } from '../common/tenancy/tenancy.js';
import { asOperator } from './operator.js';
import { print, UserError, type OutputOptions } from './output.js';

interface Options extends OutputOptions {
  tenant: string;
  form: ReceiptForm | 'record';
  alg: FormAlgorithm;
}

/** A receipt to take away, in a form that programs of others read. docs/formats/standard-forms.md. */
export const exportCommand = (): Command =>
  new Command('export')
    .description('write one receipt of a tenant to a file, as a record or in a standard form')
    .argument('<receipt>', 'its UUID, or blake3:<hex> of a retrieval')
    .argument('<file>', 'the file to make')
    .requiredOption('--tenant <tenant>', 'whose receipt it is')
    .addOption(
      new Option('--form <form>', 'record: the signed message, or the CBOR of a retrieval')
        .choices(['record', ...RECEIPT_FORMS])
        .default('record'),
    )
    .addOption(
      new Option('--alg <algorithm>', 'of a cose-receipt: es256 needs a key, see svc key add-es256')
        .choices(FORM_ALGORITHMS)
        .default('eddsa'),
    )
    .option('--json', 'print one JSON object')
    .action(async (receiptId: string, file: string, options: Options) => {
      if (options.alg === 'es256' && options.form !== 'cose-receipt')
        throw new UserError('--alg es256 is for --form cose-receipt alone');
      if (existsSync(file)) throw new UserError(`${file} exists; choose another name`);
      await asOperator(async (services) => {
        const { tenant, form, alg } = options;
        const stored = await services.get(Tenancy).run(tenant, () => services.get(EvidenceRecords).find(receiptId));
        if (!stored) throw new UserError(`The tenant ${tenant} has no receipt ${receiptId}`);
        const bytes = form === 'record' ? stored.record : await services.get(ReceiptForms).make(stored, form, alg);
        writeFileSync(file, bytes, { flag: 'wx', flush: true });
        print(options, { receipt_id: receiptId, tenant_id: tenant, form, file, bytes: bytes.length }, () => [
          `Wrote ${file}: ${bytes.length} bytes. Check it with: svc verify ${file} --key KEYS`,
        ]);
      });
    });
