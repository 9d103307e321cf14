import type { JSONOutput } from 'typedoc'

type Type = JSONOutput.SomeType
type Declaration = JSONOutput.DeclarationReflection
type Signature = JSONOutput.SignatureReflection
type Parameter = JSONOutput.ParameterReflection

const INDENT = '  '

/** Longer lists of parameters, members or alternatives go on lines of their own. */
const LINE = 76

/** Prints a type as TypeScript, on several lines where one would be too long. */
export function printType(type: Type | undefined): string {
  if (type === undefined) return 'unknown'
  switch (type.type) {
    case 'intrinsic':
    case 'unknown':
      return type.name
    case 'literal':
      return typeof type.value === 'string' ? `'${type.value}'` : String(type.value)
    case 'reference':
      return type.typeArguments === undefined
        ? type.name
        : `${type.name}<${type.typeArguments.map(printType).join(', ')}>`
    case 'array':
      return `${inParentheses(type.elementType)}[]`
    case 'tuple':
      return `[${(type.elements ?? []).map(printType).join(', ')}]`
    case 'namedTupleMember':
      return `${type.name}${type.isOptional ? '?' : ''}: ${printType(type.element)}`
    case 'typeOperator':
      return `${type.operator} ${inParentheses(type.target)}`
    case 'union':
      return printUnion(type.types)
    case 'intersection':
      return type.types.map(inParentheses).join(' & ')
    case 'indexedAccess':
      return `${inParentheses(type.objectType)}[${printType(type.indexType)}]`
    case 'query':
      return `typeof ${printType(type.queryType)}`
    case 'predicate':
      return `${type.asserts ? 'asserts ' : ''}${type.name}${type.targetType ? ` is ${printType(type.targetType)}` : ''}`
    case 'conditional': {
      const { checkType, extendsType, trueType, falseType } = type
      return `${printType(checkType)} extends ${printType(extendsType)} ? ${printType(trueType)} : ${printType(falseType)}`
    }
    case 'mapped':
      return printMapped(type)
    case 'reflection':
      return printObject(type.declaration)
    default:
      throw new Error(`the reference cannot print a type that TypeDoc calls ${type.type}`)
  }
}

/** Prints `name(parameters): type`, or with another mark instead of the colon. */
export function printSignature(signature: Signature, name: string, mark = ': '): string {
  const types = printTypeParameters(signature.typeParameters)
  const parameters = (signature.parameters ?? []).map(printParameter)
  const [start, end] = [`${name}${types}(`, `)${mark}${printType(signature.type)}`]
  const line = `${start}${parameters.join(', ')}${end}`
  if (parameters.length === 0 || (line.length <= LINE && !line.includes('\n'))) return line
  return `${start}\n${indented(parameters.join(',\n'))}\n${end}`
}

export const printTypeParameters = (parameters: JSONOutput.TypeParameterReflection[] = []): string => {
  if (parameters.length === 0) return ''
  const printed = parameters.map(({ name, type, default: fallback }) => {
    return `${name}${type ? ` extends ${printType(type)}` : ''}${fallback ? ` = ${printType(fallback)}` : ''}`
  })
  return `<${printed.join(', ')}>`
}

/** Prints one property or method of an object as its declaration has it. */
export function printMember(member: Declaration): string {
  const { name, flags, signatures, getSignature, type } = member
  const key = /^[A-Za-z_$][\w$]*$/.test(name) || name.startsWith('[') ? name : `'${name}'`
  if (signatures !== undefined) return signatures.map(one => printSignature(one, key)).join('\n')
  const value = getSignature === undefined ? type : getSignature.type
  return `${flags.isReadonly ? 'readonly ' : ''}${key}${flags.isOptional ? '?' : ''}: ${printType(value)}`
}

/** Prints the members between braces, with their comments where `comments` says so. */
export function printObject(declaration: Declaration): string {
  const { signatures = [], children = [], indexSignatures = [] } = declaration
  if (children.length === 0 && indexSignatures.length === 0 && signatures.length === 1) {
    return printSignature(signatures[0]!, '', ' => ')
  }
  const members = [
    ...signatures.map(signature => printSignature(signature, '')),
    ...indexSignatures.map(
      ({ parameters = [], type }) => `[${parameters.map(printParameter).join(', ')}]: ${printType(type)}`
    ),
    ...children.map(child => commentLine(child) + printMember(child))
  ]
  if (members.length === 0) return '{}'
  const line = `{ ${members.join('; ')} }`
  return line.length <= LINE && !line.includes('\n') ? line : `{\n${indented(members.join('\n'))}\n}`
}

/** Returns the plain text of a comment, as the code has it. */
export const plainText = (parts: readonly JSONOutput.CommentDisplayPart[] = []): string =>
  parts.map(({ text }) => text).join('')

function commentLine({ comment }: Declaration): string {
  const text = plainText(comment?.summary).replace(/\s+/g, ' ').trim()
  return text === '' ? '' : `/** ${text} */\n`
}

function printParameter({ name, type, flags, defaultValue }: Parameter): string {
  const isOptional = flags.isOptional || defaultValue !== undefined
  return `${flags.isRest ? '...' : ''}${name}${isOptional ? '?' : ''}: ${printType(type)}`
}

function printUnion(types: readonly Type[]): string {
  const printed = types.map(type => (type.type === 'typeOperator' ? printType(type) : inParentheses(type)))
  const line = printed.join(' | ')
  return line.length <= LINE || printed.length < 3 ? line : `\n${indented(printed.map(one => `| ${one}`).join('\n'))}`
}

function printMapped(type: JSONOutput.MappedType): string {
  const { parameter, parameterType, templateType, nameType, optionalModifier, readonlyModifier } = type
  const sign = (modifier: '+' | '-' | undefined, text: string) =>
    (modifier && `${modifier === '-' ? '-' : ''}${text}`) ?? ''
  const as = nameType ? ` as ${printType(nameType)}` : ''
  const key = `${sign(readonlyModifier, 'readonly ')}[${parameter} in ${printType(parameterType)}${as}]${sign(optionalModifier, '?')}`
  return `{\n${indented(`${key}: ${printType(templateType)}`)}\n}`
}

/** Puts a type in parentheses where it would bind to the types around it. */
function inParentheses(type: Type): string {
  const isJoined = ['union', 'intersection', 'conditional', 'typeOperator', 'query'].includes(type.type)
  return isJoined || isFunction(type) ? `(${printType(type).trimStart()})` : printType(type)
}

const isFunction = (type: Type): boolean => {
  const { signatures, children, indexSignatures } = type.type === 'reflection' ? type.declaration : {}
  return signatures?.length === 1 && children === undefined && indexSignatures === undefined
}

export const indented = (text: string): string => text.replace(/^(?=.)/gm, INDENT)
