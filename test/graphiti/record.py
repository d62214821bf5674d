# Records what pydantic (2.13) says to the bodies of Graphiti's requests: python record.py > recorded.jsonl
# The models have the fields of graph_service/dto, and are read as FastAPI reads a body (from_attributes).
import json
from datetime import datetime, timezone
from typing import Literal
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
utc=lambda: datetime.now(timezone.utc)
class Message(BaseModel):
    content: str = Field(...)
    uuid: str | None = Field(default=None)
    name: str = Field(default='')
    role_type: Literal['user','assistant','system'] = Field(...)
    role: str | None = Field(...)
    timestamp: datetime = Field(default_factory=utc)
    source_description: str = Field(default='')
class AddMessages(BaseModel):
    group_id: str
    messages: list[Message]
class Entity(BaseModel):
    uuid: str
    group_id: str
    name: str
    summary: str = ''
class Search(BaseModel):
    group_ids: list[str] | None = None
    query: str
    max_facts: int = 10
class GetMemory(BaseModel):
    group_id: str
    max_facts: int = 10
    center_node_uuid: str | None = Field(...)
    messages: list[Message]
models={'/messages':AddMessages,'/search':Search,'/get-memory':GetMemory,'/entity-node':Entity}
def run(path, body):
    try:
        TypeAdapter(models[path]).validate_python(body, from_attributes=True)
        return None
    except ValidationError as e:
        return [ {k:v for k,v in {**x,'loc':['body',*x['loc']]}.items()} for x in e.errors(include_url=False)]
ok={'content':'hi','role_type':'user','role':'Ann'}
m=lambda **k: {'group_id':'g','messages':[{**ok,**k}]}
cases=[]
def add(path,*bodies):
    for b in bodies: cases.append({'path':path,'body':b,'errors':run(path,b)})
add('/messages', {}, [], 'text', 5, True, {'group_id':5,'messages':{}}, {'group_id':None,'messages':None}, {'group_id':'g','messages':[5,None,'x',[],{}]}, {'group_id':'g','messages':'abc'},
 {'group_id':['g'],'messages':[{'content':5,'uuid':6,'name':None,'role_type':'tool','role':False,'timestamp':True,'source_description':[]},{**ok,'role_type':5}]},
 {'messages':[{'role':'x'}]}, m(role_type=None), m(role_type=['user']), m(role_type='USER'), m(uuid=1), m(name=1.5), m(content=None), m(extra=1), {'group_id':'g','messages':[]}, {'group_id':'g','messages':[ok], 'other':[1]})
add('/search', {}, {'query':None}, {'query':5,'group_ids':'g','max_facts':'x'}, {'query':'q','group_ids':['a',5,None],'max_facts':1.5}, {'query':'q','max_facts':None},{'query':'q','max_facts':[]},{'query':'q','max_facts':'5'},{'query':'q','max_facts':' 5 '},{'query':'q','max_facts':'5.0'},{'query':'q','max_facts':'5.5'},{'query':'q','max_facts':''},{'query':'q','max_facts':'1_0'},{'query':'q','max_facts':'1__0'},{'query':'q','max_facts':'+5'},{'query':'q','max_facts':'- 5'},{'query':'q','max_facts':'0x5'},{'query':'q','max_facts':5.0},{'query':'q','max_facts':True},{'query':'q','max_facts':'1e3'},{'query':'q','max_facts':-3},{'query':'q','max_facts':'005'},{'query':'q','max_facts':'5.'},{'query':'q','max_facts':'.5'},{'query':'q','group_ids':None},{'query':'q','group_ids':{}})
add('/get-memory', {}, {'group_id':'g','messages':[]}, {'group_id':'g','center_node_uuid':None,'messages':[]}, {'group_id':'g','center_node_uuid':5,'messages':[{}],'max_facts':{}})
add('/entity-node', {}, {'uuid':None,'group_id':1,'name':[], 'summary':None}, [1])
dates=['2024-05-06T07:08:09Z','2024-05-06T07:08:09','2024-05-06 07:08:09','2024-05-06t07:08:09z','2024-05-06_07:08:09','2024-05-06T07:08','2024-05-06','2024-05-06T07:08:09.5Z','2024-05-06T07:08:09,25Z','2024-05-06T07:08:09.123456789Z','2024-05-06T07:08:09+02:00','2024-05-06T07:08:09-0530','2024-05-06T07:08:09+02','2024-05-06T07:08:09 +02:00','2024-05-06T07:08:09 Z',' 2024-05-06','2024-05-06 ','1715000000','1715000000.5','1715000000000','-1','+5','1e9',1715000000,1715000000.25,1715000000123,0,-1,20000000000,20000000001,-20000000000,1e12,253402300799,253402300800,253402300799000,1e20,-1e20,'99999999999999999','',' ','yesterday','2024','2024-13-01','2024-02-30','2024-02-29','2023-02-29','2024-05-06T24:00:00','2024-05-06T23:60:00','2024-05-06T23:59:60','2024-05-06T7:08','2024-05-06X07:08:09','2024/05/06','20240506','20240506T070809','24-05-06','2024-5-6','0001-01-01T00:00:00Z','0000-01-01','9999-12-31T23:59:59Z','1599-01-01','2024-05-06T07:08:09+24:00','2024-05-06T07:08:09+23:59','2024-05-06T07:08:09+05:60','2024-05-06T07:08:09.','2024-05-06T','2024-05-06T07','2024-05-06T07:08:09Zx',None,True,[],{}, '2024-W05-1','Mon, 06 May 2024 07:08:09 GMT','2024-05-06T07:08:09−02:00','NaN','Infinity','1715000000.','.5', '- 5','1_000']
for d in dates:
    b=m(timestamp=d); errs=run('/messages',b); c={'path':'/messages','body':b,'errors':errs}
    if errs is None:
        t=AddMessages.model_validate(b).messages[0].timestamp
        try:
            t=(t if t.tzinfo else t.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
            c['time']=t.isoformat().replace('+00:00','Z')
        except OverflowError: c['time']='overflow'
    cases.append(c)
print('\n'.join(json.dumps(c, ensure_ascii=False) for c in cases))
