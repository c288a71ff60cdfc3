/** A Kubernetes label selector as objects carry it. */
export interface LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = { readonly [key: string]: string };
type Test = (value: string | undefined) => boolean;

/** What is wrong with a selector, or undefined; one that is wrong must select nothing. */
export function labelSelectorProblem(selector: LabelSelector): string | undefined {
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (testFor(operator, values) === undefined) return `"${operator}" is not a valid label selector operator`;
    const needsValues = operator === 'In' || operator === 'NotIn';
    if (needsValues && values.length === 0) return `operator ${operator} of "${key}" needs values`;
    if (!needsValues && values.length > 0) return `operator ${operator} of "${key}" takes no values`;
  }
  return undefined;
}

/** Tells whether labels satisfy a selector: all its parts must hold; an empty selector selects everything. */
export function selectsLabels(selector: LabelSelector, labels: Labels): boolean {
  const value = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  if (labelSelectorProblem(selector) !== undefined) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, wanted]) => value(key) === wanted) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => testFor(operator, values)?.(value(key)))
  );
}

function testFor(operator: string, values: readonly string[]): Test | undefined {
  switch (operator) {
    case 'In':
      return (value) => value !== undefined && values.includes(value);
    case 'NotIn':
      return (value) => value === undefined || !values.includes(value);
    case 'Exists':
      return (value) => value !== undefined;
    case 'DoesNotExist':
      return (value) => value === undefined;
    default:
      return undefined;
  }
}
