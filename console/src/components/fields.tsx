import { useId, type ReactNode } from 'react';
import {
  Checkbox as AriaCheckbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Button as AriaButton,
  Text,
  TextArea,
  TextField as AriaTextField,
} from 'react-aria-components';

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  /** What is wrong with the value, and how to mend it. */
  error?: string | undefined;
  isRequired?: boolean;
  isDisabled?: boolean;
  placeholder?: string;
}

interface TextFieldProps extends FieldProps {
  type?: 'text' | 'password' | 'email' | 'search' | 'number' | 'url' | 'datetime-local';
  isMultiline?: boolean;
  autoComplete?: string;
  isMono?: boolean;
  /** The first thing to fill in, in a dialog. */
  autoFocus?: boolean;
}

export function TextField({ label, hint, error, placeholder, isMultiline, isMono, ...props }: TextFieldProps) {
  const look = { className: `input ${isMono ? 'mono' : ''}`, ...(placeholder ? { placeholder } : {}) };
  return (
    <AriaTextField {...props} className="field" isInvalid={error !== undefined} validationBehavior="aria">
      <Label>{label}</Label>
      {isMultiline ? <TextArea {...look} rows={5} /> : <Input {...look} />}
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface Choice {
  value: string;
  label: string;
}

/** One of a few. */
export function SelectField({
  label,
  value,
  onChange,
  choices,
  isDisabled = false,
}: Pick<FieldProps, 'label' | 'value' | 'onChange' | 'isDisabled'> & { choices: readonly Choice[] }) {
  return (
    <AriaSelect
      className="field"
      value={value}
      onChange={(key) => onChange(String(key))}
      isDisabled={isDisabled}
      placeholder="Choose"
    >
      <Label>{label}</Label>
      <AriaButton className="input select">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </AriaButton>
      <Popover className="popover">
        <ListBox className="list-box" items={choices.map((choice) => ({ id: choice.value, ...choice }))}>
          {({ label: text }) => <ListBoxItem textValue={text}>{text}</ListBoxItem>}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export function CheckboxField({
  label,
  isSelected,
  onChange,
}: {
  label: string;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}) {
  return (
    <AriaCheckbox className="checkbox" isSelected={isSelected} onChange={onChange}>
      <span className="box" aria-hidden="true">
        {isSelected ? '✓' : ''}
      </span>
      {label}
    </AriaCheckbox>
  );
}

/** A number within a range, as a slider of the browser. */
export function RangeField({
  label,
  value,
  min,
  max,
  step = 1,
  onChange,
  shown,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  onChange: (value: number) => void;
  /** The value in words. */
  shown: string;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={shown}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <output htmlFor={id} className="hint number">
        {shown}
      </output>
    </div>
  );
}
