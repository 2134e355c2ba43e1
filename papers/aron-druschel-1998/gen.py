rows=[]
def row(id,what,section,expected,unit,rule,note='',cause=''):
    import json
    e=json.dumps(expected)
    s=f'\n[[row]]\nid = "{id}"\nwhat = "{what}"\nsection = "{section}"\nexpected = {e}\n'
    if unit: s+=f'unit = "{unit}"\n'
    s+=f'rule = "{rule}"\n'
    if note: s+=f'note = {json.dumps(note)}\n'
    if cause: s+=f'cause = {json.dumps(cause)}\n'
    rows.append(s)
for c,e in zip((1,5,10,20,30),(6.62,19.81,30.52,56.36,68.65)): row(f'A.fig3.{c}s',f'effective throughput of runs of {c} s','3, figure 3',e,'%','10 %')
for c,e,u in zip((1,5,10,20,30),(145.8,2.2,6.7,24.8,45.3),('KB',)+('MB',)*4): row(f'A.fig3.data.{c}s',f'average data of a sender in runs of {c} s','3, figure 3',e,u,'10 %')
row('A.fig4.loss','the first loss','3, figure 4',1.2,'s','10 %')
row('A.fig4.timeout','the timeout that follows it','3, figure 4',2.8,'s','10 %')
row('A.fig4.slow-start','the end of the second slow start','3, figure 4',3.4,'s','10 %')
row('A.fig4.next-loss','the next loss','3, figure 4',26.5,'s','10 %')
row('A.fig4.fast-retransmit','it is repaired by fast retransmit','3, figure 4',1,'','shape')
row('A.fig4.fill','from the timeout until cwnd reaches 145 KB','3.3','> 16','s','shape')
row('A.fig5','the handshake is done, and the window 512 KB','3.2, figure 5',60,'ms','10 %')
for n,e in (('original',44),('brakmo',55),('proposed',66)): row(f'A.fig7.{n}','throughput in the 5 s after the second start, '+n+' timers','5.1.1, figure 7',e,'%','10 %')
row('A.fig7.delay.original','mean timeout delay, original timers','5.1.1',2,'s','15 %')
row('A.fig7.delay.brakmo','mean timeout delay, Brakmo & Peterson','5.1.1',1.5,'s','15 %')
row('A.fig7.delay.proposed','longest timeout delay, proposed timers','5.1.1','< 1','s','shape')
row('A.fig7.gain','more bytes in those 5 s with the proposed timers','5.1.1',170,'KB','15 %')
row('A.fig8.timeouts','senders of seven that time out','5.1.2',6,'','shape')
row('A.fig8.total','bytes in the 5 s after the last start','5.1.2','< 20','MB','shape')
row('A.fig8.gain','more bytes in those 5 s with the proposed timers','5.1.2',1.5,'MB','20 %')
for n,e in (('original',1.5),('brakmo',.95),('proposed',.7)): row(f'A.fig8.delay.{n}','mean timeout delay, '+n+' timers','5.1.2',e,'s','15 %')
row('A.fig8.delay.longest','longest timeout delay, proposed timers','5.1.2','< 1','s','shape')
row('A.fig9.peak','orig-Lite-500ms: the most throughput','5.2.1, figure 9',18,'%','15 %')
row('A.fig9.estimation','prop-Lite-500ms beyond 20 s, times orig-Lite-500ms','5.2.1, figure 9',5,'x','20 %')
row('A.fig9.pacing','prop-Lite-10ms below 5 s, times prop-Lite-500ms','5.2.1, figure 9',5,'x','20 %')
row('A.fig10.estimation','prop-Lite-500ms below 5 s, times orig-Lite-500ms','5.2.2, figure 10',10,'x','20 %')
row('A.fig10.pacing-10ms','prop-Lite-10ms during the start-up, times prop-Lite-500ms','5.2.2, figure 10',1.2,'x','20 %')
row('A.fig10.pacing-2ms','prop-Lite-2ms during the start-up, times prop-Lite-500ms','5.2.2, figure 10',1.85,'x','20 %')
head='''id = "aron-druschel-1998"
title = "TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control"
citation = "M. Aron, P. Druschel. Rice University, TR98-318, 1998."
about = []
'''
open('paper.toml','w').write(head+''.join(rows))
